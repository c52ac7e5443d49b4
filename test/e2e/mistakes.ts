/**
 * Mistakes that people make with the command line, its settings and its files. Each ends with the exit code that it has, and with a
 * message that names the file or flag, the value, and what to do.
 */
export interface Mistake {
  args: readonly string[];
  /** Files beside the settings; `tieout.yaml` replaces them. */
  files?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  /** Of the command; 2 unless it is another. */
  code?: 1 | 3 | 4;
  /** The file or flag, the value, and the remedy, as the message has them. */
  says: readonly string[];
}

const settings = (text: string) => ({ args: ['config', 'check'], files: { 'tieout.yaml': text } });
const HEAD = 'kind,id,view_token\n';

/** `tieout init` with these flags, which writes new.yaml and asks nobody. */
const init = (...flags: readonly string[]) => ({
  args: ['init', '--config', 'new.yaml', '--service', 'https://s.example/api', '--offline', ...flags],
});
const plugin = (text: string) => ({
  ...settings('plugins: [./p.mjs]\n'),
  files: { 'tieout.yaml': 'plugins: [./p.mjs]\n', 'p.mjs': text },
});

const RULE = `{ code: 'OUR_RULE', severity: 'low', title: 't', why: 'w', action: 'a', settledBy: 's', example: 'e', check: () => [] }`;

export const MISTAKES: readonly Mistake[] = [
  // The command itself.
  { args: ['rnu'], says: ['rnu', 'run'] },
  { args: ['run', 'nightley'], says: ['nightley', 'nightly'] },
  { args: ['run', '--dte', '2026-11-20'], says: ['--dte', '--date'] },
  { args: ['run', '--date', '20.11.2026'], says: ['--date 20.11.2026', '2026-11-20'] },
  { args: ['run', '--date', '2026-02-30'], says: ['--date', '2026-02-30'] },
  {
    args: ['run', '--date', '2099-01-01'],
    files: { 'tieout.yaml': 'service: { url: "http://127.0.0.1:9/api", retries: 0 }\n' },
    says: ['2099-01-01', 'name a date up to today'],
  },
  { args: ['run', '--max-duration', '6'], says: ['--max-duration', '6', '6h'] },
  { args: ['run', '--max-requests', 'many'], says: ['--max-requests', 'many'] },
  { args: ['run', '--max-requests', '-1'], says: ['--max-requests', '-1'] },
  { args: ['audit'], says: ['--id', '--ids', '--from'] },
  { args: ['audit', '--from', '2026-11-20'], says: ['--from 2026-11-20', '--to'] },
  { args: ['audit', '--from', '2026-11-20', '--to', '2026-11-01'], says: ['--from', '2026-11-20', '--to'] },
  { args: ['audit', '--ids', 'missing.csv'], says: ['missing.csv'] },
  { args: ['audit', '--id', 'x1', '--kind', 'purchse'], says: ['--kind', 'purchse', 'purchase'] },
  { args: ['audit', '--id', 'nobody', '--kind', 'sale'], says: ['not tracked as a sale', 'nobody'] },
  { args: ['plan', '--from', 'yesterday', '--to', '2026-11-01'], says: ['--from yesterday', '2026-11-20'] },
  { args: ['replay', 'nightly-2026-01-01-r1'], says: ['nightly-2026-01-01-r1', 'runs list'] },
  { args: ['replay'], says: ['run'] },
  { args: ['report', 'nightly-2026-01-01-r1'], says: ['nightly-2026-01-01-r1', 'runs list'] },
  { args: ['report', 'latest', '--format', 'pdf'], says: ['--format', 'pdf', 'csv, xlsx, html, json'] },
  { args: ['report', 'latest', '--profile', 'libreoffice'], says: ['--profile', 'libreoffice', 'excel-eu'] },
  { args: ['runs', 'show', 'abc'], says: ['abc', 'runs list'] },
  { args: ['deliver', 'nightly-2026-01-01-r1'], says: ['nightly-2026-01-01-r1', 'runs list'] },
  { args: ['verify', 'nowhere'], code: 1, says: ['nowhere', 'no such folder'] },
  { args: ['verify'], says: ['dir'] },
  {
    args: ['claims', 'update', 'claim-3f9a1c', '--recovered', '12.50', '--reason', 'note'],
    says: ['--recovered 12.50', '12.50EUR'],
  },
  { args: ['breaks', 'show', 'ffff'], says: ['ffff', 'breaks list'] },
  { args: ['breaks', 'ack', 'ffff'], says: ['--reason'] },
  { args: ['breaks', 'ack', 'ffff', '--reason', ''], says: ['--reason'] },
  { args: ['breaks', 'assign', 'ffff', '--reason', 'x', '--to', ''], says: ['--to must not be empty'] },
  { args: ['breaks', 'ack', 'ffff', '--reason', 'x', '--by', ' '], says: ['--by must not be empty'] },
  { args: ['breaks', 'waive', 'ffff', '--reason', 'x', '--until', 'soon'], says: ['--until', 'soon'] },
  { args: ['payouts', 'match', '--date', '2999-01-01'], says: ['2999-01-01', 'name a date up to today'] },
  { args: ['payouts', 'match', '--minimum', 'lots'], says: ['--minimum', 'lots', '12.50'] },
  {
    args: ['journal', '--period', '2026-10', '--format', 'xero', '--accounts', 'accounts.yaml'],
    files: { 'accounts.yaml': 'hostFeeReceivable: [1]\nhostFee: 2\n' },
    says: ['accounts.yaml', 'hostFeeReceivable: must be', 'hostFee: no account; allowed: hostFeeReceivable'],
  },
  { args: ['audit', '--ids', 'ids.txt'], files: { 'ids.txt': 'a1\na b\n' }, says: ['--ids ids.txt', 'a b', 'letters'] },
  { args: ['audit', '--id', 'a b'], says: ['--id: a b', 'letters'] },
  { args: ['--config', 'nope.yaml', 'run'], says: ['--config: "nope.yaml" cannot be read: there is no such file'] },
  { args: ['frobnicate'], says: ['frobnicate', '`tieout --help` lists the commands'] },
  { args: ['breaks', 'list', '--state', 'opne'], says: ['--state', 'opne', 'open'] },
  {
    args: ['breaks', 'list', '--rule', 'FEE_APLIED_DIFFERS'],
    says: ['--rule', 'FEE_APLIED_DIFFERS', 'FEE_APPLIED_DIFFERS'],
  },
  { args: ['breaks', 'list', '--severity', 'urgent'], says: ['--severity', 'urgent', 'critical'] },
  { args: ['breaks', 'list', '--month', '2026-13'], says: ['--month', '2026-13'] },
  { args: ['breaks', 'list', '--record', 'nobody'], says: ['nobody'] },
  { args: ['tracked', 'show', 'nobody'], says: ['nobody', 'tieout import'] },
  { args: ['tracked', 'retract', 'nobody', '--reason', 'x'], says: ['nobody', 'tieout import'] },
  { args: ['period', 'close', '2026-99', '--by', 'Ann'], says: ['2026-99', '2026-10'] },
  { args: ['journal', '--period', '2026-10', '--format', 'sap'], says: ['--format', 'sap', 'xero'] },
  { args: ['drill', '--per-rule', '0'], says: ['--per-rule', '0'] },
  { args: ['demo', '--defects', '3'], says: ['--defects', '3'] },
  { args: ['sandbox', '--port', '99999'], says: ['--port', '99999'] },
  { args: ['service', 'purchase', 'x1'], says: ['x1', '--token-file'] },
  { args: ['service', 'purchase', 'x1', '--query', 'secret=t1'], says: ['no secret is ever a flag', '--token-file'] },
  {
    args: ['service', 'assets', '--query', 'hostApiKey=k1'],
    says: ['no secret is ever a flag', 'TIEOUT_HOST_API_KEY'],
  },
  { args: ['service', 'quote'], says: ['--body', 'JSON'] },
  { args: ['service', 'offramp-quote', '--body', '{fiat: 1}'], says: ['--body', '{fiat: 1}', 'JSON'] },
  { args: ['service', 'assets', '--body', '{}'], says: ['--body', 'assets', 'quotes'] },
  { args: ['service', 'assets', 'x1'], says: ['x1', 'assets', 'no id'] },
  { args: ['openapi', 'swagger'], says: ['swagger', 'sandbox'] },
  { args: ['widget', 'url', '--set', 'hostAppName'], says: ['--set hostAppName', 'name=value'] },
  // Files that come in.
  { args: ['import', 'missing.csv'], says: ['missing.csv'] },
  { args: ['import', 'empty.csv'], files: { 'empty.csv': '' }, says: ['empty.csv: is empty, so nothing was imported'] },
  { args: ['import', 'empty.csv'], files: { 'empty.csv': '\n\r\n' }, says: ['empty.csv', 'empty'] },
  { args: ['quotes', 'import', 'empty.ndjson'], files: { 'empty.ndjson': '' }, says: ['empty.ndjson', 'empty'] },
  {
    args: ['import', 'ids.ndjson'],
    files: { 'ids.ndjson': 'kind,id,view_token\npurchase,a,t\npurchase,b,t\n' },
    code: 1,
    says: ['0 added, 0 unchanged, 3 rejected', '\n  lines 1 to 3: is not a JSON object\n'],
  },
  { args: ['import', 'ids.csv'], files: { 'ids.csv': 'id,token\na,t\n' }, says: ['ids.csv', 'kind', 'view_token'] },
  {
    args: ['import', 'ids.csv'],
    files: { 'ids.csv': `${HEAD}refund,a,t\n` },
    code: 1,
    says: ['ids.csv', '2', 'purchase'],
  },
  { args: ['import', 'ids.csv'], files: { 'ids.csv': `${HEAD}purchase,,t\n` }, code: 1, says: ['ids.csv', '2', 'id'] },
  {
    args: ['import', 'ids.csv'],
    files: { 'ids.csv': `${HEAD}purchase,a,\n` },
    code: 1,
    says: ['ids.csv', '2', 'view_token'],
  },
  {
    args: ['import', 'ids.csv'],
    files: { 'ids.csv': 'kind,id,view_token,created_at\npurchase,a,t,20.11.2026\n' },
    code: 1,
    says: ['ids.csv', 'created_at'],
  },
  {
    args: ['import', 'ids.csv'],
    files: { 'ids.csv': `${HEAD}purchase,1.2E+10,t\n` },
    code: 1,
    says: ['ids.csv', 'line 2', 'format the column as text'],
  },
  {
    args: ['import', 'ids.json'],
    files: { 'ids.json': '[{"kind":"purchase"}]' },
    says: ['ids.json', 'JSON array', 'jq'],
  },
  {
    args: ['import', 'ids.ndjson'],
    files: { 'ids.ndjson': '{"kind":"purchase","id":"a","view_token":\n' },
    code: 1,
    says: ['ids.ndjson', '1'],
  },
  { args: ['import', 'ids.csv', '--format', 'xlsx'], files: { 'ids.csv': HEAD }, says: ['--format', 'xlsx', 'csv'] },
  { args: ['quotes', 'import', 'missing.ndjson'], says: ['missing.ndjson'] },
  {
    args: ['quotes', 'import', 'q.ndjson'],
    files: { 'q.ndjson': '{"quote_id":"q"}\n' },
    code: 1,
    says: ['q.ndjson', '1', 'direction'],
  },
  {
    args: ['quotes', 'import', 'q.ndjson'],
    files: { 'q.ndjson': 'quote_id,amount\nq,1\n' },
    code: 1,
    says: ['q.ndjson'],
  },
  { args: ['quotes', 'capture', '--direction', 'buy'], says: ['--direction', 'buy', 'onramp'] },
  { args: ['payouts', 'import', 'missing.xml'], says: ['missing.xml'] },
  { args: ['prices', 'check', 'missing.yaml'], says: ['missing.yaml'] },
  { args: ['prices', 'check'], says: ['no price list', 'prices.list'] },
  // Settings.
  { ...settings('service: { ulr: "https://service.example/api" }\n'), says: ['tieout.yaml:1', 'service.ulr', 'url'] },
  { ...settings('service: { url: "service.example" }\n'), says: ['tieout.yaml:1', 'service.example', 'https'] },
  {
    ...settings('service: { url: "https://service.example" }\n'),
    says: ['tieout.yaml:1', 'https://service.example', '/api'],
  },
  { ...settings('service:\n  timeout: 20\n'), says: ['tieout.yaml:2', '"20"', '5s'] },
  { ...settings('database: { url: "mysql://db/tieout" }\n'), says: ['tieout.yaml:1', 'mysql', 'postgres'] },
  { ...settings('timezone: CET+1\n'), says: ['tieout.yaml:1', 'CET+1', 'Europe/Berlin'] },
  { ...settings('rules: { QUOTE_MISING: off }\n'), says: ['tieout.yaml:1', 'QUOTE_MISING', 'QUOTE_MISSING'] },
  { ...settings('rules: { QUOTE_MISSING: { severity: urgent } }\n'), says: ['tieout.yaml:1', 'urgent', 'critical'] },
  { ...settings('schedule: { jobs: { nightly: "4:15" } }\n'), says: ['tieout.yaml:1', '4:15', '15 4 * * *'] },
  { ...settings('reports: { formats: [pdf] }\n'), says: ['tieout.yaml:1', 'pdf', 'csv'] },
  { ...settings('tolerances: { fiat: { absolute: 1,5 } }\n'), says: ['tieout.yaml:1'] },
  { ...settings('service:\n\turl: x\n'), says: ['tieout.yaml:2', 'Tabs'] },
  { ...settings('out: a\nout: b\n'), says: ['tieout.yaml:2', 'unique'] },
  { ...settings('plugins: [./none.mjs]\n'), says: ['./none.mjs', 'there is no such file'] },
  { ...settings('secretKey: c2hvcnQ=\n'), says: ['tieout.yaml:1', 'secretKey', 'TIEOUT_SECRET_KEY_FILE'] },
  { ...settings('service: { rateLimits: [{ requests: 0, per: 1m }] }\n'), says: ['tieout.yaml:1', 'requests', '"0"'] },
  { ...settings('webhooks: { port: 80800 }\n'), says: ['tieout.yaml:1', 'webhooks.port', '80800', '65535'] },
  { ...settings('sources: [{ name: a, type: folder, path: x }]\n'), says: ['tieout.yaml:1', 'file, sql or plugin'] },
  { ...settings('sources: [{ name: a, type: sql, url: "sqlite:x.db" }]\n'), says: ['tieout.yaml:1', 'query'] },
  { ...settings('deliver: [{ name: a, type: ftp }]\n'), says: ['tieout.yaml:1', 'deliver'] },
  { ...settings('logLevel: verbose\n'), says: ['tieout.yaml:1', 'verbose', 'debug'] },
  { ...settings('quotes: { price: fixed }\n'), says: ['tieout.yaml:1', 'fixed', 'locked'] },
  { args: ['init'], says: ['tieout.yaml', '--config FILE'] },
  { args: ['init', '--config', 'new.yaml'], says: ['--service', 'missing'] },
  {
    args: ['init', '--config', 'new.yaml', '--service', 'service.example', '--webhooks'],
    says: ['--service', 'service.example', '/api'],
  },
  { ...init('--webhooks', '--schedule', 'hourly'), says: ['--schedule hourly', 'cron, systemd, none'] },
  { ...init(), says: ['--sql, --csv or --webhooks', 'missing'] },
  { ...init('--sql', 'sqlite:app.db'), says: ['--query', 'missing'] },
  { ...init('--sql', 'sqlite:app.db', '--csv', 'ids.csv'), says: ['--sql and --csv', 'give one of them'] },
  { ...init('--csv', 'ids.csv', '--webhooks'), says: ['--csv and --webhooks', 'give one of them'] },
  { ...init('--csv', 'ids.csv', '--query', 'select 1'), says: ['--query and --csv', 'give --sql too'] },
  { ...init('--sql', 'app.db', '--query', 'select 1'), says: ['app.db', 'sqlite:PATH'] },
  { ...init('--webhooks', '--database', 'app.db'), says: ['--database', 'app.db', 'sqlite:PATH'] },
  // A query, and an address as other programs have it: nothing of them is shown.
  ...['select id from orders where kind = 1', 'host=db password=S3cret'].map((sql) => ({
    ...init('--sql', sql, '--query', 'select 1'),
    says: ['--sql: is no address such as postgres://', 'sqlite:PATH'],
  })),
  // An unencoded slash, and a password among the parameters, too.
  ...['reader:S3cret@db', 'reader:S3c/ret@db', 'db/app?user=reader&password=S3cret'].flatMap((rest) => [
    {
      ...init('--sql', `postgres://${rest}/app`, '--query', 'select 1'),
      says: ['--sql: no password on the command line', 'PGPASSWORD', 'init asks'],
    },
    {
      ...init('--webhooks', '--database', `postgres://${rest}/app`),
      says: ['--database: no password on the command line', 'TIEOUT_DATABASE_URL'],
    },
    {
      args: ['db', 'copy', '--to', `postgresql://${rest}/app`],
      says: ['--to: no password on the command line', 'PGPASSWORD'],
    },
  ]),
  { ...init('--webhooks', '--timezone', 'Berlin'), says: ['--timezone', 'Berlin', 'Europe/Berlin'] },
  { ...init('--webhooks', '--rate-limits', 'on'), says: ['--rate-limits', '"on"', 'or off'] },
  { ...init('--webhooks', '--identifier-name', 'our name'), says: ['--identifier-name', 'our name', 'letters'] },
  { ...init('--webhooks', '--key-file', 'bad.key'), files: { 'bad.key': 'short' }, says: ['bad.key', 'chmod 600'] },
  { ...init('--webhooks', '--key-file', '.'), says: ['key file .', 'cannot be read'] },
  { ...init('--webhooks', '--config', 'none/new.yaml'), says: ['none/new.yaml', 'its folder does not exist'] },
  { ...init('--webhooks', 'surplus'), says: ['surplus', '--help'] },
  { ...init('--webhook'), says: ['--webhook', '--webhooks'] },
  { args: ['init', '--config', 'new.yaml', '--service', 'ftp://s.example/api'], says: ['--service', 'ftp:', 'https'] },
  // Plugins.
  { ...settings('plugins: [no-such-package-here]\n'), says: ['no-such-package-here', 'npm install'] },
  { ...plugin('export const a = 1;'), says: ['./p.mjs', 'not a plugin', 'docs/how-to/plugins.md'] },
  { ...plugin('export default {'), says: ['./p.mjs', 'cannot be loaded'] },
  { ...plugin('export default { api: 9, name: "p" };'), says: ['./p.mjs', 'version 9', 'this is 1'] },
  { ...plugin('export default { api: 1, name: "P q" };'), says: ['./p.mjs', 'P q', 'small letters'] },
  {
    ...plugin('export default { api: 1, name: "p", rules: [{ code: "SLIPPAGE" }] };'),
    says: ['./p.mjs', 'rules[0]', 'SLIPPAGE'],
  },
  { ...plugin('export default { api: 1, name: "p", rulse: [] };'), says: ['./p.mjs', 'rulse', 'rules'] },
  { ...plugin('export default { api: 1, name: "p", rules: 4 };'), says: ['rules must be a list'] },
  { ...plugin(`export default { api: 1, name: "p", rules: [${RULE}, ${RULE}] };`), says: ['rules[1]', 'OUR_RULE'] },
  {
    ...plugin('export default { api: 1, name: "p", reports: [{ name: "records" }] };'),
    says: ["which is another report's"],
  },
  {
    ...plugin(
      `export default { api: 1, name: 'p', reports: [{ name: 'x', description: 'd', rows() {}, columns: [{ name: 'a', type: 'amount', description: 'd', value() {} }] }] };`,
    ),
    says: ['x: the column a names no text column with its currency in currencyColumn'],
  },
  {
    ...plugin('export default { api: 1, name: "p", sources: [{ name: "x" }] };'),
    says: ['x: read must be a function'],
  },
  {
    ...plugin('export default { api: 1, name: "p", formats: [{ file: "records.csv", write() {} }] };'),
    says: ['has the file records.csv, which is taken'],
  },
  {
    ...settings('sources: [{ name: crm, type: plugin, source: our-crm }]\n'),
    says: ['tieout.yaml:1', 'our-crm', 'plugins'],
  },
  { args: ['config', 'check', '--config', 'none.yaml'], says: ['--config', 'none.yaml'] },
  {
    args: ['plan'],
    files: { 'tieout.yaml': 'database: { url: "postgres://127.0.0.1:9/none" }\n' },
    env: { TIEOUT_SECRET_KEY: 'q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=' },
    code: 4,
    says: ['127.0.0.1:9'],
  },
  {
    args: ['config', 'check'],
    env: { TIEOUT_SECRET_KEY_FILE: 'none.key' },
    says: ['TIEOUT_SECRET_KEY_FILE', 'none.key'],
  },
  { args: ['run'], files: { 'tieout.yaml': 'out: out\n' }, says: ['service.url', 'TIEOUT_SERVICE_URL'] },
  {
    args: ['run'],
    files: {
      'tieout.yaml':
        'service: { url: "http://127.0.0.1:9/api", retries: 0 }\nsources: [{ name: a, type: file, path: "inbox/*.csv" }]\n',
    },
    code: 3,
    says: ['inbox/*.csv', 'optional: true'],
  },
  {
    args: ['service', 'currencies'],
    files: { 'tieout.yaml': 'service: { url: "http://127.0.0.1:9/api", retries: 0 }\n' },
    code: 4,
    says: ['127.0.0.1:9', ''],
  },
];
