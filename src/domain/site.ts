import type { Action } from './action.ts';

/** Hosts on this device or on its own network, which are reached, or not, whatever the connection does. */
const NEAR =
  /^(localhost|.*\.(localhost|local|lan|home|internal|test)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|169\.254\..*|0\.0\.0\.0|\[.*\])$/;
/** Two names at the end that are one for what is registered under them, as `co.uk`. */
const DOUBLE = /\.(ac|co|com|edu|gov|net|org)\.[a-z]{2}$/;

/**
 * The site that `action` asks, such as `example.com` for `https://api.example.com/x`: what fails and works together. `null`
 * where it asks none that is far away, or where only its run knows which.
 */
export function siteOf(action: Action): string | null {
  const url = addressOf(action);
  const host =
    url === null
      ? null
      : /^https?:\/\/(?:[^/?#@{]*@)?([^/?#{:]+|\[[^\]]*\])(?::\d+)?(?=[/?#]|$)/i.exec(url.trim());
  const name = host?.[1]?.toLowerCase();
  if (name === undefined || NEAR.test(name) || !name.includes('.')) return null;
  if (/^[\d.]+$/.test(name)) return name;
  return name
    .split('.')
    .slice(DOUBLE.test(name) ? -3 : -2)
    .join('.');
}

function addressOf(action: Action): string | null {
  switch (action.kind) {
    case 'http':
    case 'watch':
      return action.url;
    case 'prompt':
      return action.endpoint.baseUrl;
    case 'remind':
    case 'script':
      return null;
    case 'steps':
      // The first that asks anybody: without it the others are not reached.
      return action.steps.map((step) => addressOf(step.action)).find((address) => address !== null) ?? null;
  }
}
