// Which page is open, and when it looks again.

import { ask, NoAnswer } from './api.js';
import { announce, fill, h } from './dom.js';
import { overview } from './overview.js';
import { topic, topics } from './topics.js';
import { messages } from './messages.js';
import { topicConfigs } from './configs.js';
import { group, groups } from './groups.js';
import { broker, brokers } from './brokers.js';
import { live } from './live.js';

const ROUTES = [
  [/^$/, 'overview', overview],
  [/^topics$/, 'topics', topics],
  [/^topics\/([^/]+)$/, 'topics', topic],
  [/^topics\/([^/]+)\/messages$/, 'topics', messages],
  [/^topics\/([^/]+)\/settings$/, 'topics', topicConfigs],
  [/^groups$/, 'groups', groups],
  [/^groups\/([^/]+)$/, 'groups', group],
  [/^brokers$/, 'brokers', brokers],
  [/^brokers\/([^/]+)$/, 'brokers', broker],
  [/^live$/, 'live', live],
];

const main = document.getElementById('main');
const freshness = document.getElementById('freshness');

let open = null;
let paused = false;

/** What a page has to do with the rest. */
class Page {
  constructor(parameters, query) {
    this.parameters = parameters;
    this.query = query;
    this.leaving = new AbortController();
    this.signal = this.leaving.signal;
    this.looks = [];
    this.trouble = h('div', { id: 'trouble' });
  }

  /** Looks now, and again and again as long as the page is open. */
  every(ms, look) {
    const one = { ms, look, timer: 0 };
    this.looks.push(one);
    return this.run(one);
  }

  async run(one) {
    clearTimeout(one.timer);
    if (this.signal.aborted) {
      return;
    }
    try {
      await one.look();
      if (this.signal.aborted) {
        return;
      }
      this.sound();
    } catch (e) {
      if (this.signal.aborted) {
        return;
      }
      this.fail(e);
    }
    if (!paused && !document.hidden) {
      one.timer = setTimeout(() => this.run(one), one.ms);
    }
  }

  again() {
    this.looks.forEach(one => this.run(one));
  }

  stop() {
    this.looks.forEach(one => clearTimeout(one.timer));
  }

  sound() {
    fill(this.trouble);
    const every = Math.min(...this.looks.map(one => one.ms)) / 1000;
    freshness.textContent = `As of ${new Date().toISOString().slice(11, 19)} UTC, ${paused ? 'paused' : `every ${every} s`}`;
  }

  fail(e) {
    const said = e instanceof NoAnswer ? e.message : String(e);
    if (!(e instanceof NoAnswer)) {
      console.error(e);
    }
    fill(this.trouble, h('p', { class: 'trouble', role: 'alert' }, `No answer: ${said}.`));
    freshness.textContent = 'What is shown may be old';
  }

  leave() {
    this.leaving.abort();
    this.stop();
  }
}

function route() {
  const [where, search] = location.hash.replace(/^#\/?/, '').split('?', 2);
  if (location.hash === '#main') {
    return;
  }
  open?.leave();
  const found = ROUTES.map(([pattern, page, opens]) => ({ match: where.match(pattern), page, opens })).find(one => one.match);
  let parameters = [];
  try {
    parameters = found ? found.match.slice(1).map(decodeURIComponent) : [];
  } catch {
    // No address of ours: the page says so.
  }
  open = new Page(parameters, new URLSearchParams(search ?? ''));
  document.querySelectorAll('#pages a').forEach(link => {
    if (link.dataset.page === found?.page) {
      link.setAttribute('aria-current', 'page');
    } else {
      link.removeAttribute('aria-current');
    }
  });
  const root = h('div', { id: 'page' });
  const heading = h('h1', { tabindex: '-1' });
  main.replaceChildren(heading, open.trouble, root);
  freshness.textContent = '';
  heading.textContent = found ? found.opens(root, open) : 'There is no such page';
  document.title = `${heading.textContent} – Moldau`;
  announce(heading.textContent);
  if (navigated) {
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  navigated = true;
}

let navigated = false;
addEventListener('hashchange', route);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !paused) {
    open?.again();
  }
});

document.getElementById('skip').addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});

const pause = h('button', { type: 'button', id: 'pause', 'aria-pressed': 'false', onclick: () => {
  paused = !paused;
  pause.setAttribute('aria-pressed', String(paused));
  pause.textContent = paused ? 'Go on' : 'Pause';
  if (paused) {
    open?.stop();
    open?.sound();
  } else {
    open?.again();
  }
} }, 'Pause');
freshness.after(pause);

const theme = document.getElementById('theme');
theme.value = document.documentElement.dataset.theme ?? 'auto';
theme.addEventListener('change', () => {
  if (theme.value === 'auto') {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme.value;
  }
  try {
    localStorage.setItem('moldau.theme', theme.value);
  } catch {
    // It holds until the page is closed.
  }
  announce(`Theme: ${theme.selectedOptions[0].textContent}`);
});

ask('/api/v1/cluster').then(cluster => {
  document.getElementById('node').textContent
    = `Node ${cluster.nodeId} (${cluster.roles.join(' and ')}) of cluster ${cluster.clusterId}, version ${cluster.version}`;
}).catch(() => {
  // The page says it.
});

route();
