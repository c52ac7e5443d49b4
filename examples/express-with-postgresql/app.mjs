// The shop's server: shows quotes and keeps what it showed, and stores the id and the view token of each webhook.
import { randomUUID } from 'node:crypto';
import express from 'express';

/** @param pool of pg @param publicKeys PEM, as the Service publishes them @param verifyWebhook of tieout */
export function createApp({ pool, service, hostApiKey, publicKeys, verifyWebhook }) {
  const app = express();

  // The user asks for a price. Its digits are stored as they came: JSON.parse would round some.
  app.post('/quote', express.json(), async (request, response) => {
    const asked = { ...request.body, paymentMethodType: request.body.paymentMethodType ?? 'CARD_PAYMENT' };
    const capturedAt = new Date().toISOString();
    const answer = await fetch(`${service}/host-api/quote?hostApiKey=${encodeURIComponent(hostApiKey)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    });
    const text = await answer.text();
    if (!answer.ok) return response.status(502).json({ error: 'no quote' });
    const id = randomUUID();
    const head = { quote_id: id, direction: 'onramp', api_version: 'v1', captured_at: capturedAt };
    const line = `${JSON.stringify(head).slice(0, -1)},"request":${JSON.stringify(asked)},"response":${text}}`;
    await pool.query('insert into quotes (quote_id, line) values ($1, $2)', [id, line]);
    response.json({ quoteId: id, quote: JSON.parse(text) });
  });

  // The widget is opened with webhookStatusUrl=https://shop.example/webhooks/purchases?order=42&quote=<quoteId>.
  for (const kind of ['purchase', 'sale']) {
    app.post(`/webhooks/${kind}s`, express.text({ type: () => true, limit: '256kb' }), async (request, response) => {
      const signature = request.get('x-body-signature') ?? '';
      if (!verifyWebhook(request.body, signature, publicKeys)) return response.sendStatus(401);
      const body = JSON.parse(request.body);
      const record = body.purchase ?? body.payload ?? body;
      const token = record.saleViewToken ?? record.purchaseViewToken;
      // Answered with 2xx only when it is stored: the Service repeats what was not, four times.
      await pool.query(
        `insert into crypto_orders (kind, service_id, view_token, created_at, order_no, quote_id, status)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (kind, service_id) do update set status = excluded.status`,
        [
          kind,
          record.id,
          token,
          record.createdAt,
          request.query.order ?? null,
          request.query.quote ?? null,
          record.status ?? null,
        ],
      );
      response.sendStatus(204);
    });
  }
  return app;
}
