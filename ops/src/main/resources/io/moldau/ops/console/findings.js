import { badge, h } from './dom.js';

const KINDS = { ok: 'good', note: 'note', warning: 'warn', problem: 'bad' };

function causes(findings) {
  return h('ul', { class: 'causes' }, findings.map(finding => h('li', {},
    h('span', { class: 'because' }, 'because '), finding.text,
    finding.remedy ? h('p', { class: 'remedy' }, finding.remedy) : null,
    finding.because ? causes(finding.because) : null)));
}

/** So many are shown at once, and the others when they are asked for. */
const AT_ONCE = 6;

function list(findings) {
  return h('ul', { class: 'findings' }, findings.map(finding => h('li', { class: KINDS[finding.severity] },
    badge(finding.severity, KINDS[finding.severity]), ' ', h('span', { class: 'said' }, finding.text),
    finding.remedy ? h('p', { class: 'remedy' }, finding.remedy) : null,
    finding.because ? causes(finding.because) : null)));
}

/** What is wrong and why, the worst first. Whether the rest is open is remembered: pages look again and again. */
export function findingList(findings, kept = {}) {
  if (findings.length <= AT_ONCE + 1) {
    return [list(findings)];
  }
  const rest = h('details', { class: 'rest', open: kept.open, ontoggle: () => { kept.open = rest.open; } },
    h('summary', {}, `${findings.length - AT_ONCE} more`), list(findings.slice(AT_ONCE)));
  return [list(findings.slice(0, AT_ONCE)), rest];
}

export function severityKind(severity) {
  return KINDS[severity];
}
