/**
 * `npm run demo:live`: the circle as a story. A browser buys and sells in the widget of the sandbox, webhooks arrive at
 * `tieout serve`, a night reconciles what came, and one record that was changed afterwards is found.
 */
import { chromium } from 'playwright-core';
import { closeTheCircle, type OrderPlace, orderByCalls } from '../e2e/support/circle.ts';
import { CHROMIUM_FLAGS, findOrInstallChromium } from './support/chromium.ts';
import { orderInBrowser } from './support/shop.ts';

const found = findOrInstallChromium(process.env.TIEOUT_CHROMIUM, (text) => console.error(text));
const began = performance.now();
let step = 0;
const say = (text: string) => console.log(`${String(++step).padStart(2)}. ${text}`);

async function order(place: OrderPlace): Promise<number> {
  if ('missing' in found) {
    say(`no browser here (${found.missing}): ordered by calls instead of in the widget`);
    return orderByCalls(place);
  }
  say('a browser opens the widget: two purchases and a sale, chosen, quoted, confirmed, seen to their end');
  const browser = await chromium.launch({ executablePath: found.path, args: [...CHROMIUM_FLAGS] });
  try {
    return await orderInBrowser(browser, place);
  } finally {
    await browser.close();
  }
}

const circle = await closeTheCircle({ order, say });
const matched = circle.records.filter(({ verdict }) => verdict === 'matched').length;
say(`the audit found ${circle.breaksAfter.length} breaks, all of ${circle.tampered}:`);
for (const { rule, explanation } of circle.breaksAfter) console.log(`    ${rule}\n      ${explanation}`);
const asPromised =
  circle.nightly.code === 0 &&
  circle.audit.code === 1 &&
  circle.verified.code === 0 &&
  matched === circle.ordered &&
  circle.breaksAfter.every((row) => row.record_id === circle.tampered);
await circle.close();
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  asPromised
    ? `\nThe circle is closed: ${circle.ordered} of ${circle.ordered} matched, the one tampered record found, in ${seconds} s.`
    : `\nThe circle is NOT closed: ${matched} of ${circle.ordered} matched, exit codes ${circle.nightly.code} and ${circle.audit.code}.`,
);
process.exitCode = asPromised ? 0 : 1;
