import { badge, h } from './dom.js';

const KINDS = { ok: 'good', note: 'note', warning: 'warn', problem: 'bad' };

function causes(findings) {
  return h('ul', { class: 'causes' }, findings.map(finding => h('li', {},
    h('span', { class: 'because' }, 'because '), finding.text,
    finding.remedy ? h('p', { class: 'remedy' }, finding.remedy) : null,
    finding.because ? causes(finding.because) : null)));
}

/** What is wrong and why, the worst first. */
export function findingList(findings) {
  return h('ul', { class: 'findings' }, findings.map(finding => h('li', { class: KINDS[finding.severity] },
    badge(finding.severity, KINDS[finding.severity]), ' ', h('span', { class: 'said' }, finding.text),
    finding.remedy ? h('p', { class: 'remedy' }, finding.remedy) : null,
    finding.because ? causes(finding.because) : null)));
}

export function severityKind(severity) {
  return KINDS[severity];
}
