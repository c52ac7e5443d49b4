import { readFileSync } from 'node:fs';
import pg from 'pg';
import { verifyWebhook } from 'tieout';
import { createApp } from './app.mjs';

const app = createApp({
  pool: new pg.Pool({ connectionString: process.env.DATABASE_URL }),
  service: process.env.TIEOUT_SERVICE_URL,
  hostApiKey: process.env.TIEOUT_HOST_API_KEY,
  publicKeys: [readFileSync(process.env.SERVICE_PUBLIC_KEY_FILE, 'utf8')],
  verifyWebhook,
});
app.listen(3000);
