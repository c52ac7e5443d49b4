/**
 * The value of every setting that nobody set, written as it would stand in the file. `config/example.yaml` documents
 * the same values; a test keeps the two equal.
 */
import type { RawMap } from './raw.ts';

/** What spec §3 leaves open, filled with what deployments were seen to use. A record may not move to a lower stage. */
const PURCHASE_STATUSES: readonly RawMap[] = [
  { value: 'INITIALIZED', stage: '0', terminal: 'false', stuckAfter: '120h' },
  { value: 'PAYMENT_STARTED', stage: '1', terminal: 'false', stuckAfter: '120h' },
  // The last payment failed; the user may start another, which is not a step back.
  { value: 'PAYMENT_FAILED', stage: '1', terminal: 'false', stuckAfter: '120h', mayReturnTo: '1' },
  { value: 'PAYMENT_IN_PROGRESS', stage: '2', terminal: 'false', stuckAfter: '120h', mayReturnTo: '1' },
  { value: 'PAYMENT_EXECUTED', stage: '3', terminal: 'false', stuckAfter: '120h' },
  { value: 'FIAT_SENT', stage: '4', terminal: 'false', stuckAfter: '120h' },
  { value: 'FIAT_RECEIVED', stage: '5', terminal: 'false', stuckAfter: '120h' },
  { value: 'RELEASING', stage: '6', terminal: 'false', stuckAfter: '120h' },
  { value: 'RELEASED', stage: '7', terminal: 'true' },
  { value: 'EXPIRED', stage: '7', terminal: 'true' },
  { value: 'CANCELLED', stage: '7', terminal: 'true' },
];

/** A sale's status may come from its body, its payout (`fiat.status`) or an event: three vocabularies in one model. */
const SALE_STATUSES: readonly RawMap[] = [
  { value: 'CREATED', stage: '0', terminal: 'false', stuckAfter: '120h' },
  { value: 'not-started', stage: '0', terminal: 'false', stuckAfter: '120h' },
  { value: 'initiated', stage: '1', terminal: 'false', stuckAfter: '120h' },
  { value: 'delayed', stage: '1', terminal: 'false', stuckAfter: '120h' },
  { value: 'failed', stage: '1', terminal: 'false', stuckAfter: '120h', mayReturnTo: '0' },
  { value: 'completed', stage: '3', terminal: 'true' },
  { value: 'RELEASED', stage: '3', terminal: 'true' },
  { value: 'EXPIRED', stage: '3', terminal: 'true' },
];

export const DEFAULTS: RawMap = {
  service: {
    url: null,
    identifierName: 'Service',
    hostApiKey: null,
    concurrency: '8',
    rateLimits: [
      { requests: '100', per: '1m' },
      { requests: '1000', per: '15m' },
    ],
    guard: '5s',
    timeout: '20s',
    retries: '3',
    salePath: '/host-api/offramp/sale/{id}',
    egress: null,
    localAddress: null,
  },
  database: { url: 'sqlite:var/tieout.db', lease: { ttl: '60s' } },
  out: 'out',
  timezone: 'UTC',
  sources: [],
  schedule: {
    timezone: 'UTC',
    jobs: { nightly: '15 4 * * *', 'reference-data': '0 * * * *', recheck: '*/10 * * * *' },
  },
  quotes: { matchWindow: '30m', matchWindowAfter: '10m', captureOnCreated: 'true' },
  tolerances: {
    fiat: { absolute: 'minor-unit', relative: '0.001' },
    crypto: { relative: '1e-9' },
    requoted: { percentPoints: '0.25' },
    rate: { consistency: '0.001', reference: '0.1' },
    currencies: {},
    rules: {},
  },
  statuses: { purchase: PURCHASE_STATUSES, sale: SALE_STATUSES },
  rules: {},
  reports: { formats: ['csv'], profile: 'standard', decimals: 'exact' },
  publish: { signingKeyFile: null, verifyKeys: [] },
  workers: {
    enabled: 'false',
    batch: '100',
    heartbeat: '30s',
    patience: '15m',
    metrics: { host: '127.0.0.1', port: 'off' },
  },
  due: { postTerminalDays: ['1', '7', '30'], breakDailyDays: '30', breakEveryDays: '7' },
  webhooks: {
    host: '127.0.0.1',
    port: '8080',
    requireSignature: 'true',
    publicKeys: [],
    intakeToken: null,
    trustProxy: 'false',
    docs: 'auto',
  },
  notify: { heartbeatUrl: null, webhookUrl: null, email: null, smtpPassword: null, stormCap: '200' },
  retention: { snapshots: '400d', events: '400d' },
  secretKey: null,
  logLevel: 'info',
};
