/**
 * `npm run icons`: draws Rota's mark at every size and writes public/favicon.svg and public/icons/. The results are committed;
 * only a change to the drawing needs this to run.
 *
 * The mark is a clock whose ring is open at the top, where a dot in the colour of *now* sits: the instant that is due. Small
 * sizes are a drawing of their own with heavier strokes and a wider gap, since a scaled one turns grey.
 */
import { chromium } from '@playwright/test';
import { mkdir, writeFile } from 'node:fs/promises';
import { exit, stderr } from 'node:process';
import { findChromium, launchOptions } from './browsers.mjs';
import { ROOT } from './steps.mjs';

const PAPER = '#fbfaf6';
const INK = '#1c1d20';
const NOW = '#d93a1f';
const INK_ON_DARK = '#e9e7e1';
const NOW_ON_DARK = '#ff6a4d';

/**
 * How heavy the mark is drawn. All in units of a square of 64.
 * @typedef {{ ring: number, stroke: number, dot: number, gap: number, hand: number, minute: number, hour: readonly [number, number], y: number }} Weight
 */

/** @type {Weight} From 48 pixels up. */
const REGULAR = {
  ring: 19,
  stroke: 4.5,
  dot: 5.5,
  gap: 2.5,
  hand: 4.5,
  minute: 8.4,
  hour: [6, 4],
  y: 33.25,
};
/** @type {Weight} For tabs and menus: fills the square, and its edges fall on pixels at 16. */
const SMALL = { ring: 24, stroke: 7, dot: 8.5, gap: 3.5, hand: 6.5, minute: 8.5, hour: [7.5, 5], y: 36 };

/**
 * @param {Weight} weight
 * @param {string} ink attributes that colour the strokes.
 * @param {string} now attributes that colour the dot.
 */
function mark({ ring, stroke, dot, gap, hand, minute, hour, y }, ink, now) {
  const top = y - ring;
  return [
    `<mask id="open" maskUnits="userSpaceOnUse" x="0" y="0" width="64" height="64"><path fill="#fff" d="M0 0h64v64H0z"/><circle cx="32" cy="${top}" r="${dot + gap}"/></mask>`,
    `<g fill="none" ${ink} stroke-linecap="round" stroke-linejoin="round">`,
    `<circle cx="32" cy="${y}" r="${ring}" stroke-width="${stroke}" mask="url(#open)"/>`,
    `<path d="M32 ${y - minute}V${y}l${hour[0]} ${hour[1]}" stroke-width="${hand}"/>`,
    `</g>`,
    `<circle cx="32" cy="${top}" r="${dot}" ${now}/>`,
  ].join('\n  ');
}

/** @param {string} inside */
const svg = (inside) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">\n  ${inside}\n</svg>\n`;

const onPaper = (/** @type {Weight} */ weight) => mark(weight, `stroke="${INK}"`, `fill="${NOW}"`);
const scaled = (/** @type {number} */ factor, /** @type {string} */ inside) =>
  `<g transform="translate(32 32) scale(${factor}) translate(-32 -32)">\n  ${inside}\n  </g>`;

/** On the paper of a page, with rounded corners: where a system shows an icon as it is. */
const tile = svg(`<rect width="64" height="64" rx="14.5" fill="${PAPER}"/>\n  ${onPaper(REGULAR)}`);
/** Paper to the edges and the mark inside the circle of 80 % that no system cuts (https://w3c.github.io/manifest/#icon-masks). */
const bleed = svg(`<path fill="${PAPER}" d="M0 0h64v64H0z"/>\n  ${scaled(0.94, onPaper(REGULAR))}`);
/** The mark alone, light or dark with the browser's own bar. */
const bare = svg(
  `<style>.ink{stroke:${INK}}.now{fill:${NOW}}@media(prefers-color-scheme:dark){.ink{stroke:${INK_ON_DARK}}.now{fill:${NOW_ON_DARK}}}</style>\n  ` +
    mark(SMALL, 'class="ink"', 'class="now"'),
);

const executablePath = findChromium();
if (executablePath === null) {
  stderr.write('The icons are drawn by a Chromium, and there is none here. `npm test` installs one.\n');
  exit(1);
}
const browser = await chromium.launch(launchOptions(executablePath));
const page = await browser.newPage({ deviceScaleFactor: 1 });

/**
 * @param {string} source
 * @param {number} size in pixels.
 * @returns {Promise<Buffer>} a PNG.
 */
async function pixels(source, size) {
  await page.setViewportSize({ width: size, height: size });
  const address = `data:image/svg+xml;base64,${Buffer.from(source).toString('base64')}`;
  await page.setContent(
    `<style>html,body{margin:0;background:none}img{display:block;width:${size}px;height:${size}px}</style><img src="${address}">`,
  );
  return page.screenshot({ omitBackground: true });
}

const folder = `${ROOT}public/icons`;
await mkdir(folder, { recursive: true });
await writeFile(`${ROOT}public/favicon.svg`, bare);
await writeFile(`${folder}/icon.svg`, tile);
await writeFile(`${folder}/icon-32.png`, await pixels(bare, 32));
await writeFile(`${folder}/icon-192.png`, await pixels(tile, 192));
await writeFile(`${folder}/icon-512.png`, await pixels(tile, 512));
await writeFile(`${folder}/maskable-512.png`, await pixels(bleed, 512));
await writeFile(`${folder}/apple-touch-icon.png`, await pixels(bleed, 180));
await browser.close();
