// Asks the admin interface. Pages show what comes back and work nothing out of it.

const PATIENCE_MS = 12_000;

/** An answer that is not one: what the node said, or that it said nothing. */
export class NoAnswer extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Some answers come with 503 and are answers all the same: "not ready", "not safe". */
export async function ask(path, { signal, alsoNo = false } = {}) {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  const until = signal ? AbortSignal.any([signal, timeout]) : timeout;
  let response;
  try {
    response = await fetch(path, { signal: until, headers: { Accept: 'application/json' }, cache: 'no-store' });
  } catch (e) {
    if (signal?.aborted) {
      throw e;
    }
    throw new NoAnswer(0, timeout.aborted ? 'the node takes too long to answer' : 'the node does not answer');
  }
  const body = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (response.ok || (alsoNo && response.status === 503 && !('error' in body))) {
    return body;
  }
  throw new NoAnswer(response.status, body.error ?? `status ${response.status}`);
}

/** A path of which each part is a name, whatever is in it. */
export function path(...parts) {
  return '/api/v1/' + parts.map(part => encodeURIComponent(part)).join('/');
}

export function query(values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return pairs.length ? '?' + pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&') : '';
}
