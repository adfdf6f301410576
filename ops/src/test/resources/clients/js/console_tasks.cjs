// Tasks of a person at the console, in a browser without a window. What a page shows is compared with what the
// interface answers; pictures of every page are left for people to look at.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');
const { bootstrap: base, prefix: pictures, phase, check, until, equal, same, end } = require('./checks.cjs');

const facts = JSON.parse(phase);
const browserPath = process.env.PATH.split(':').map(folder => path.join(folder, 'chromium')).find(file => fs.existsSync(file));

/** Everything a page asked of anybody, and everything it complained of. */
const asked = [];
const complaints = [];
const answers = new Map();

function watch(page) {
  page.setDefaultTimeout(15_000);
  page.on('request', request => asked.push(request.url()));
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('the server responded with a status of')) {
      complaints.push(message.text());
    }
  });
  page.on('response', async response => {
    if (response.url().includes('/api/v1/')) {
      const body = await response.json().catch(() => null);
      const url = response.url().slice(base.length);
      answers.set(url, [...(answers.get(url) ?? []), body].slice(-20));
    }
  });
}

const api = async where => (await fetch(base + where)).json();

/** Goes there as a link does, without loading everything again. */
async function open(page, hash) {
  await page.evaluate(where => { location.hash = where; }, hash);
  await page.waitForFunction(where => location.hash === where, hash);
}

const cells = (page, table) => page.$$eval(`${table} tbody tr`, rows =>
  rows.map(row => [...row.children].map(cell => cell.textContent.trim())));

const number = text => (text === '–' ? null : Number(text.replaceAll(',', '')));

async function rowsOf(page, table, fewest = 1) {
  return until(`${table} has rows`, async () => {
    const rows = await cells(page, table);
    return rows.length >= fewest && rows[0].length > 1 ? rows : null;
  });
}

// What text is drawn with less contrast than WCAG's 4.5 (3 where it is large), and what cannot be named.
function unreadable() {
  const parse = color => {
    const m = color.match(/^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?\)$/);
    if (m) return [m[1] * 255, m[2] * 255, m[3] * 255, m[4] === undefined ? 1 : Number(m[4])];
    const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = element => {
    let over = [0, 0, 0, 0];
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a] = parse(getComputedStyle(at).backgroundColor);
      const left = (1 - over[3]) * a;
      over = [over[0] + r * left, over[1] + g * left, over[2] + b * left, over[3] + left];
      if (over[3] > 0.999) return over;
    }
    return over;
  };
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest('.unseen, .skip, noscript, option') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const color = parse(element.closest('svg') ? style.fill : style.color);
    const [one, other] = [luminance(color), luminance(ground(element.closest('svg') ?? element))].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) bad.push(`${contrast.toFixed(2)} "${node.textContent.trim().slice(0, 30)}" ${element.className}`);
  }
  return bad;
}

function unnamed() {
  const bad = [];
  const named = element => element.getAttribute('aria-label') || element.textContent.trim() || element.getAttribute('title');
  document.querySelectorAll('button, a, summary').forEach(one => { if (!named(one)) bad.push(one.outerHTML); });
  document.querySelectorAll('input, select').forEach(one => { if (!one.labels.length && !one.getAttribute('aria-label')) bad.push(one.outerHTML); });
  document.querySelectorAll('img').forEach(one => { if (!one.hasAttribute('alt')) bad.push(one.outerHTML); });
  document.querySelectorAll('svg').forEach(one => { if (!one.getAttribute('aria-label')) bad.push('svg'); });
  document.querySelectorAll('thead th').forEach(one => { if (one.getAttribute('scope') !== 'col') bad.push(one.outerHTML); });
  document.querySelectorAll('table').forEach(one => { if (!one.caption) bad.push(`table ${one.id}`); });
  if (document.querySelectorAll('h1').length !== 1) bad.push(`${document.querySelectorAll('h1').length} h1`);
  for (const landmark of ['header', 'nav[aria-label]', 'main', 'footer']) {
    if (!document.querySelector(landmark)) bad.push(`no ${landmark}`);
  }
  const levels = [...document.querySelectorAll('h1, h2, h3')].map(one => Number(one.tagName[1]));
  levels.forEach((level, i) => { if (i > 0 && level > levels[i - 1] + 1) bad.push(`h${levels[i - 1]} then h${level}`); });
  const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
  ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => bad.push(`id ${id} twice`));
  document.querySelectorAll('[aria-labelledby], [aria-describedby]').forEach(one => {
    const id = one.getAttribute('aria-labelledby') ?? one.getAttribute('aria-describedby');
    if (!one.hidden && !document.getElementById(id)) bad.push(`${id} is nowhere`);
  });
  return bad;
}

const PAGES = [
  ['overview', '#/', '#quorum-members tbody tr'],
  ['topics', '#/topics', '#topics tbody tr'],
  ['topic', '#/topics/orders', '#partitions tbody tr'],
  ['messages', '#/topics/orders/messages?partition=0&start=offset&at=40&limit=8', '#records tbody tr'],
  ['settings', '#/topics/orders/settings', '#settings tbody tr'],
  ['groups', '#/groups', '#groups tbody tr'],
  ['group', '#/groups/billing', '#positions tbody tr'],
  ['brokers', '#/brokers', '#brokers tbody tr'],
  ['broker', '#/brokers/1', '#settings'],
  ['live', '#/live', '#apis tbody tr'],
];

(async () => {
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  watch(page);
  await page.goto(base + '/');
  // Another page looks at the traffic from now on, so that its plots have something to show.
  const watcher = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  watch(watcher);
  await watcher.goto(base + '/#/live');

  await check('why a partition is offline', async () => {
    const said = await until('the overview tells of it', async () => {
      const text = await page.textContent('#wrong');
      return text.includes(`${facts.offline} is offline`) ? text : null;
    });
    if (!said.includes(`broker ${facts.stopped} is registered and does not serve`)) throw new Error(said);
    await page.click('#pages a[data-page=topics]');
    await page.click('#topics a:has-text("payments")');
    await page.click('button[aria-label="Why partition 2 is as it is"]');
    const why = await until('the reason', async () => (await page.textContent('#why')) || null);
    for (const part of ['payments-2 is offline', 'none of its replicas is on a broker that serves', `broker ${facts.stopped} is registered and does not serve (fenced)`, 'Start it']) {
      if (!why.includes(part)) throw new Error(`"${part}" is not in: ${why}`);
    }
    equal(true, await page.evaluate(() => document.activeElement.id === 'why-heading'), 'the focus is at the reason');
  });

  await check('the message with a key', async () => {
    await open(page, '#/topics/orders/messages');
    await page.selectOption('#partition', 'all');
    await page.fill('#key', 'customer-42');
    await page.click('button:has-text("Look")');
    const rows = await rowsOf(page, '#records');
    equal(1, rows.length, 'records found');
    same(['0', '42'], rows[0].slice(0, 2), 'where it is');
    equal('{"order": 42, "amount": "42.50 €"}', rows[0][3]);
    await page.click('#records summary');
    const more = await page.textContent('#records details');
    for (const part of ['Header trace', '4bf92f35', 'Header binary', '0102fe']) {
      if (!more.includes(part)) throw new Error(more);
    }
    const scanned = await page.textContent('#scanned');
    if (!scanned.includes('3,200 records looked at in 3 partitions, of at most 1,000,000')) throw new Error(scanned);
  });

  await check('the message with a binary key', async () => {
    await page.fill('#key', '00ff10');
    await page.selectOption('#form', 'hex');
    await page.selectOption('#partition', '0');
    await page.selectOption('#start', 'oldest');
    await page.click('button:has-text("Look")');
    await until('one record', async () => ((await page.textContent('#result-heading').catch(() => '')) && (await cells(page, '#records')).length === 1));
    const rows = await rowsOf(page, '#records');
    equal('43', rows[0][1]);
    equal('hex00ff10', rows[0][2]);
  });

  await check('the message at a time', async () => {
    await open(page, '#/topics/orders/messages');
    await page.selectOption('#start', 'time');
    const wanted = facts.firstMs + 150_000;
    await page.fill('#at', new Date(wanted).toISOString());
    await page.fill('#limit', '3');
    await page.click('button:has-text("Look")');
    const rows = await rowsOf(page, '#records', 3);
    same(['150', '151', '152'], rows.map(row => row[1]), 'offsets');
    equal(new Date(wanted).toISOString().replace('T', ' ').replace('Z', ' UTC'), rows[0][4]);
    const answer = await api(`/api/v1/topics/orders/partitions/0/records?time=${wanted}&limit=3`);
    same(answer.records.map(record => record.value.text), rows.map(row => row[3]), 'values');
    await page.click('#newer');
    same(['153', '154', '155'], (await until('the next page', async () => {
      const next = await cells(page, '#records');
      return next[0]?.[1] === '153' ? next : null;
    })).map(row => row[1]), 'the next page');
    await page.click('#older');
    await until('the page before', async () => (await cells(page, '#records'))[0]?.[1] === '150');
  });

  await check('a message of a partition that another node leads', async () => {
    const topic = await api('/api/v1/topics/orders');
    const elsewhere = topic.partitions.find(one => one.partition === 1);
    if (elsewhere.leader === 1) throw new Error('node 1 leads it');
    await open(page, '#/topics/orders/messages?partition=1&start=newest&limit=2');
    const rows = await rowsOf(page, '#records', 2);
    same(['2,998', '2,999'], rows.map(row => row[1]), 'offsets');
    same([facts.firstMs + 2_998, facts.firstMs + 2_999].map(ms => new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC')), rows.map(row => row[4]), 'times');
  });

  await check('what is in a message is never markup', async () => {
    await open(page, '#/topics/orders/messages?partition=0&start=offset&at=44&limit=1');
    const rows = await rowsOf(page, '#records');
    equal('<img src=x onerror="document.title=\'broken in\'">', rows[0][3]);
    equal(0, await page.$$eval('#records img', all => all.length), 'images');
    if ((await page.title()).includes('broken')) throw new Error('it was run');
  });

  await check('the lag of a group, and why it is stuck', async () => {
    await open(page, '#/groups');
    const row = (await rowsOf(page, '#groups')).find(cellsOf => cellsOf[0] === 'billing');
    const listed = (await api('/api/v1/groups')).groups.find(group => group.groupId === 'billing');
    same([listed.state, listed.members, listed.partitions, listed.lagRecords, listed.coordinator],
      [row[1], number(row[2]), number(row[3]), number(row[4]), number(row[6])], 'the list');
    equal(facts.orders - 42, listed.lagRecords, 'lag');
    await page.click('#groups a:has-text("billing")');
    const rows = await rowsOf(page, '#positions', 3);
    const group = await api('/api/v1/groups/billing');
    equal(group.lagRecords, Number(await page.getAttribute('#lag-records', 'data-value')), 'lag in records');
    same(group.partitions.map(one => [one.topic, one.partition, one.committedOffset, one.endOffset, one.lagRecords, one.member]),
      rows.map(cell => [cell[0], number(cell[1]), number(cell[2]), number(cell[3]), number(cell[4]), cell[8]]), 'positions');
    const shown = Number(await page.getAttribute('#lag-seconds', 'data-value'));
    const around = (answers.get('/api/v1/groups/billing') ?? []).map(answer => answer.lagSeconds);
    if (!around.includes(shown)) throw new Error(`${shown} is none of ${around}`);
    const why = await until('the reason', async () => {
      const text = await page.textContent('section[aria-labelledby=why-heading]');
      return text.includes('has not moved in orders-0') ? text : null;
    });
    for (const part of ['billing-worker', `with ${facts.orders - 42} records to read`, 'at the record at offset 42']) {
      if (!why.includes(part)) throw new Error(`"${part}" is not in: ${why}`);
    }
    const label = await page.getAttribute('figure svg', 'aria-label');
    if (!label.includes(`all partitions ${facts.orders - 42}`)) throw new Error(label);
  });

  await check('the theme', async () => {
    const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await color();
    await page.selectOption('#theme', 'dark');
    const dark = await color();
    if (light === dark) throw new Error(`it is ${light} in both`);
    await page.reload();
    equal(dark, await color(), 'after it was loaded again');
    await page.selectOption('#theme', 'auto');
    equal(light, await color(), 'as the system');
    await page.emulateMedia({ colorScheme: 'dark' });
    equal(dark, await color(), 'when the system turns dark');
    await page.emulateMedia({ colorScheme: 'light' });
  });

  await check('by keyboard alone', async () => {
    await page.goto('about:blank');
    await page.goto(base + '/');
    await rowsOf(page, '#quorum-members', 3);
    await page.keyboard.press('Tab');
    equal('skip', await page.evaluate(() => document.activeElement.id), 'first is the way past the menu');
    equal(true, await page.evaluate(() => document.activeElement.getBoundingClientRect().left >= 0), 'it is seen');
    await page.keyboard.press('Enter');
    equal('main', await page.evaluate(() => document.activeElement.id));
    await page.reload();
    await rowsOf(page, '#quorum-members', 3);
    const focus = async (what, most = 60) => {
      for (let i = 0; i < most; i++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(wanted => document.activeElement.matches(wanted), what)) {
          const seen = await page.evaluate(() => {
            const style = getComputedStyle(document.activeElement);
            return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
          });
          if (!seen) throw new Error(`${what} has the focus, and nobody sees it`);
          return;
        }
      }
      throw new Error(`${what} is not reached`);
    };
    await focus('a[data-page=topics]');
    await page.keyboard.press('Enter');
    await rowsOf(page, '#topics', 3);
    equal('H1', await page.evaluate(() => document.activeElement.tagName), 'the new page has the focus');
    await focus('#topics a[href="#/topics/orders"]');
    // What looks again keeps the focus where it is.
    await page.waitForResponse(response => response.url().endsWith('/api/v1/topics'));
    await page.waitForFunction(() => document.activeElement.matches('#topics a[href="#/topics/orders"]'));
    await page.keyboard.press('Enter');
    await rowsOf(page, '#partitions', 3);
    await focus('button[aria-label="Why partition 0 is as it is"]');
    await page.keyboard.press('Space');
    await until('the reason', async () => (await page.textContent('#why')).includes('orders-0 is under-replicated'));
    equal('Topic orders', await page.textContent('#announcer'), 'what is said to those who listen');
  });

  await check('a setting that somebody made, and where it comes from', async () => {
    await open(page, '#/topics/orders/settings');
    const rows = await rowsOf(page, '#settings', 2);
    const answer = await api('/api/v1/topics/orders/configs');
    same(answer.configs.filter(config => !config.isDefault).map(config => config.name), rows.map(row => row[0].split(/[A-Z ]/)[0]), 'names');
    const retention = rows.find(row => row[0].startsWith('retention.ms'));
    equal('-1', retention[1]);
    equal('set for this topic', retention[2]);
    await page.check('#all-settings');
    equal(answer.configs.length, (await cells(page, '#settings')).length, 'with defaults');
    await page.fill('#setting-filter', 'segment.bytes');
    const [segment] = await cells(page, '#settings');
    equal(answer.configs.find(config => config.name === 'segment.bytes').value, segment[1]);
    equal('default', segment[2]);
  });

  await check('leader and voters of the quorum', async () => {
    await open(page, '#/');
    const rows = await until('the voters', async () => {
      const all = await cells(page, '#quorum-members');
      return all.length >= 3 ? all : null;
    });
    const quorum = await api('/api/v1/quorum');
    equal(`node ${quorum.leaderId}`, await page.textContent('#quorum-leader'));
    same(quorum.voters.map(voter => voter.id), rows.map(row => number(row[0])), 'voters');
    equal(String(quorum.leaderId), rows.find(row => row[1] === 'leader')[0], 'who leads');
  });

  await check('whether this node may be stopped', async () => {
    await until('it may not', async () => (await page.textContent('#safe')) === 'not safe to stop');
    const safe = await api('/safe-to-stop');
    equal(false, safe.safeToStop);
    const reasons = await page.$$eval('.reasons li', all => all.map(one => one.textContent));
    if (!safe.reasons.every(reason => reasons.includes(reason))) throw new Error(`${reasons} against ${safe.reasons}`);
  });

  await check('numbers are those of the interface', async () => {
    await open(page, '#/');
    await rowsOf(page, '#brokers', 3);
    const cluster = await api('/api/v1/cluster');
    for (const [id, value] of [['count-topics', cluster.topics], ['count-partitions', cluster.partitions], ['count-offline', cluster.offlinePartitions], ['count-under', cluster.underReplicatedPartitions]]) {
      equal(value, number(await page.textContent(`#${id}`)), id);
    }
    const { brokers } = await api('/api/v1/brokers');
    same(brokers.map(broker => [broker.state, broker.leaders, broker.preferredLeaders, broker.replicas]),
      (await cells(page, '#brokers')).map(row => [row[1], number(row[3]), number(row[4]), number(row[5])]), 'brokers');
    await open(page, '#/topics');
    await rowsOf(page, '#topics', 3);
    const { topics } = await api('/api/v1/topics');
    same(topics.filter(topic => !topic.internal).map(topic => [topic.name, topic.partitions, topic.replicationFactor, topic.offlinePartitions, topic.underReplicatedPartitions]),
      (await cells(page, '#topics')).map(row => [row[0], ...row.slice(1, 5).map(number)]), 'topics');
    for (const name of ['orders', 'payments']) {
      await open(page, `#/topics/${name}`);
      const rows = await until(`partitions of ${name}`, async () => (await page.textContent('h1')) === `Topic ${name}` && await rowsOf(page, '#partitions', 3));
      const topic = await api(`/api/v1/topics/${name}`);
      same(topic.partitions.map(one => [one.partition, one.leader ?? 'none', one.isr.join(', ') || '–', one.replicas.join(', '), one.leaderEpoch, one.startOffset, one.endOffset, one.local?.segments ?? null]),
        rows.map(row => [number(row[0]), row[2] === 'none' ? 'none' : number(row[2]), row[3], row[4], number(row[5]), number(row[6]), number(row[7]), number(row[9])]), name);
      same(topic.partitions.map(one => one.local?.sizeInBytes ?? null), await page.$$eval('#partitions tbody tr', all =>
        all.map(row => { const size = row.querySelector('[data-value]'); return size ? Number(size.dataset.value) : null; })), `sizes of ${name}`);
    }
  });

  await check('live throughput moves under load', async () => {
    const shown = await until('records come in', async () => {
      const value = Number(await watcher.getAttribute('#records-in', 'data-value'));
      return value > 1 ? value : null;
    });
    const told = (answers.get('/api/v1/rates') ?? []).map(rates => rates.total.records);
    if (!told.includes(shown)) throw new Error(`${shown} is none of ${told}`);
    await until('the plots have curves', async () => (await watcher.$$eval('#plot-records .curve, #plot-bytes .curve', all => all.length)) >= 2);
    const heights = await watcher.getAttribute('#plot-records .curve', 'd');
    if (new Set(heights.match(/ [\d.]+(?=L|$)/g)).size < 2) throw new Error(`it does not move: ${heights}`);
    const busiest = (await rowsOf(watcher, '#busy'))[0][0];
    equal('load', busiest, 'busiest topic');
    await until('Produce has times', async () => (await cells(watcher, '#apis')).some(row => row[0] === 'Produce' && row[3].endsWith(' ms')));
    await watcher.click('#pause');
    const looks = answers.get('/api/v1/rates').length;
    equal('Go on', await watcher.textContent('#pause'));
    await watcher.click('#pause');
    await until('it goes on', async () => answers.get('/api/v1/rates').length > looks || looks === 20);
  });

  await check('it says so when the node does not answer', async () => {
    const lone = await browser.newPage();
    await lone.goto(base + '/#/topics');
    await rowsOf(lone, '#topics', 3);
    await lone.route('**/api/**', route => route.abort());
    await until('the trouble is told', async () => (await lone.textContent('#trouble')).includes('No answer: the node does not answer'));
    equal(3, (await cells(lone, '#topics')).length, 'what was known is still shown');
    await lone.close();
  });

  for (const [scheme, width] of [['light', 1280], ['dark', 1280], ['light', 390], ['dark', 390]]) {
    await check(`every page is readable: ${scheme}, ${width} wide`, async () => {
      const context = await browser.newContext({ viewport: { width, height: width > 1000 ? 900 : 800 }, colorScheme: scheme });
      const look = await context.newPage();
      watch(look);
      await look.goto(base + '/');
      for (const [name, hash, ready] of PAGES) {
        // The page that has been looking for a while has the curves.
        await open(look, hash);
        await look.waitForSelector(ready);
        await until(`${name} is complete`, async () => look.evaluate(() => ![...document.querySelectorAll('section')].some(one => !one.hidden && !one.textContent.trim())));
        equal('', (await look.evaluate(unreadable)).join('; '), `contrast of ${name}`);
        equal('', (await look.evaluate(unnamed)).join('; '), `names in ${name}`);
        const over = await look.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) throw new Error(`${name} is ${over} pixels wider than the window`);
        await look.screenshot({ path: path.join(pictures, `${name}-${scheme}-${width}.png`), fullPage: true });
      }
      await context.close();
    });
  }

  await check('plots in both themes', async () => {
    for (const scheme of ['light', 'dark']) {
      await watcher.emulateMedia({ colorScheme: scheme });
      await watcher.screenshot({ path: path.join(pictures, `live-curves-${scheme}-1280.png`), fullPage: true });
    }
  });

  await check('nothing is asked of anybody else, and nothing goes wrong', async () => {
    equal('', asked.filter(url => !url.startsWith(base + '/') && url !== 'about:blank').join('; '), 'requests to others');
    equal('', complaints.join('; '), 'complaints');
  });

  await browser.close();
  end();
})().catch(error => {
  console.log(`FAIL the tasks: ${error.stack}`);
  process.exit(1);
});
