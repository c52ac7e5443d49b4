// A shop with its own database, which knows nothing of Tieout: node shop.mjs ORIGIN-OF-THE-SERVICE ORDERS
// It shows its users a quote, stores what it showed, and keeps the id and the view token of each order.
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const [origin, orders] = process.argv.slice(2);
const database = new DatabaseSync('shop.db');
database.exec(`
  create table customer_orders (order_no text, placed text, remote_ref text, remote_secret text, quote_no text, side text);
  create table quotes (quote_no text, asked text, request text, answer text);
`);

async function post(path, body) {
  const answer = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

for (let n = 1; n <= Number(orders); n++) {
  const request = {
    cryptoAssetSymbol: 'ETH_ETH',
    fiatCurrency: 'EUR',
    fiatValue: 100 + n,
    paymentMethodType: 'CARD_PAYMENT',
  };
  const asked = new Date().toISOString();
  const answer = await post('/api/host-api/quote?hostApiKey=sandbox-host-key', request);
  database.prepare('insert into quotes values (?, ?, ?, ?)').run(`Q${n}`, asked, JSON.stringify(request), answer);
  const order = JSON.parse(
    await post('/sandbox/live', {
      kind: 'purchase',
      cryptoAssetSymbol: 'ETH_ETH',
      fiatCurrency: 'EUR',
      fiatValue: 100 + n,
      method: 'CARD_PAYMENT',
    }),
  );
  database
    .prepare('insert into customer_orders values (?, ?, ?, ?, ?, ?)')
    .run(`A-${n}`, asked, order.id, order.viewToken, `Q${n}`, 'purchase');
}

// The answer's digits go into the line as they came.
const lines = database
  .prepare('select * from quotes')
  .all()
  .map(
    ({ quote_no, asked, request, answer }) =>
      `{"quote_id":"${quote_no}","direction":"onramp","api_version":"v1","captured_at":"${asked}","request":${request},"response":${answer}}\n`,
  );
writeFileSync('quotes.ndjson', lines.join(''));
