import { readCsv } from '../../e2e/support/csv.ts';
import { type FrozenWorld, openFrozenWorld } from '../../e2e/support/frozen-world.ts';
import { listing, methodList, quoteLine, recordBody, webhookBody } from './bodies.ts';
import { DEFECTS } from './defects.ts';
import { CURRENCIES, HOUR, Market } from './market.ts';
import { type Habits, People, type Person } from './people.ts';
import { METHODS, PAYOUTS } from './pricing.ts';

export interface NightForm extends Habits {
  seed: number;
  purchases: number;
  sales: number;
  /** Of each defect that fits the habits. */
  planted: number;
}

export interface NightScore {
  planted: number;
  missed: readonly string[];
  clean: number;
  /** Clean records that had a break in any night. */
  alarms: readonly string[];
  /** Breaks of clean records by rule and field. */
  byRule: Readonly<Record<string, number>>;
  /** The sentences of those breaks. */
  sentences: readonly string[];
  /** Breaks that are of no record: of the run, of a market. */
  others: readonly string[];
}

const DAY = '2026-11-19';
const START = Date.parse(`${DAY}T00:00:00Z`);
/** Before a night the bodies are as they stood then. */
const ASKED = HOUR / 10;
const NIGHTS = [START + 28.25 * HOUR, START + 52.25 * HOUR] as const;

export async function playNight(form: NightForm): Promise<NightScore> {
  const market = new Market(form.seed, START - 12 * HOUR, START + 60 * HOUR);
  const people = new People(form.seed, START, market, form);
  const all = population(form, people);
  const world = await openFrozenWorld({ 'service.concurrency': '8' });
  try {
    let now = START;
    const { paths, answers } = world.server;
    const code = (url: URL) => url.searchParams.get('currencyCode') ?? 'EUR';
    paths.set('/host-api/v3/payment-methods', { body: methodList(METHODS) });
    paths.set('/host-api/v3/payout-methods', { body: methodList(PAYOUTS) });
    paths.set('/host-api/v3/currencies', { body: JSON.stringify(CURRENCIES.map(offered)) });
    paths.set('/host-api/countries', { body: '[]' });
    paths.set('/host-api/v3/assets', (_, url) => ({ body: listing(market, 'onramp', code(url), now) }));
    paths.set('/host-api/v3/offramp/assets', (_, url) => ({ body: listing(market, 'offramp', code(url), now) }));
    const capture = async (at: number) => {
      now = at;
      world.goTo(new Date(at).toISOString());
      await world.captureReferenceData();
    };
    world.goTo(new Date(START).toISOString());
    await world.track(['kind,id,view_token,created_at,quote_id', ...all.map(line)].join('\n'));
    await world.quote(all.filter(({ quoted }) => quoted !== null).map((person) => quoteLine(person, people)));
    const found = new Map<string, Set<string>>();
    const others = new Set<string>();
    const sentences = new Map<string, string>();
    let captured = START - 2 * HOUR;
    for (const [index, at] of NIGHTS.entries()) {
      if (form.listings === 'hourly' || form.listings === 'nightly') {
        const step = form.listings === 'hourly' ? HOUR : 24 * HOUR;
        for (; captured < at; captured += step) await capture(captured);
      }
      if (form.listings === 'afterwards') await capture(at);
      if (form.webhooks) await deliver(world, people, all, (NIGHTS[index - 1] ?? 0) - ASKED, at - ASKED);
      for (const person of all) answers.set(person.id, { body: recordBody(person, people, at - ASKED, index + 1) });
      world.goTo(new Date(at).toISOString());
      const { folder } = await world.night(new Date(at - 24 * HOUR).toISOString().slice(0, 10));
      const breaks = readCsv(world.file(folder, 'breaks.csv').toString()).rows;
      for (const { state, kind, record_id = '', rule = '', field, explanation = '' } of breaks) {
        if (state === 'resolved') continue;
        if (kind !== 'purchase' && kind !== 'sale') others.add(`${rule} ${record_id}`);
        else {
          sentences.set(`${record_id} ${rule}`, explanation);
          found.set(record_id, (found.get(record_id) ?? new Set()).add(`${rule} ${field}`.trim()));
        }
      }
    }
    return { ...score(all, found, sentences), others: [...others] };
  } finally {
    await world.close();
  }
}

/** Releases between two moments, in their order. */
async function deliver(world: FrozenWorld, people: People, all: readonly Person[], from: number, to: number) {
  const releases = all.map((person) => {
    const at = person.course.find(({ status }) => status === 'RELEASED')?.from ?? Number.POSITIVE_INFINITY;
    return { person, at };
  });
  const due = releases.filter(({ at }) => at > from && at <= to).sort((a, b) => a.at - b.at);
  for (const { person, at } of due) {
    world.goTo(new Date(at).toISOString());
    await world.webhook(person.kind, webhookBody(person, people, at));
  }
}

const offered = ({ code, sells }: (typeof CURRENCIES)[number]) => ({
  fiatCurrency: code,
  name: code,
  onrampAvailable: true,
  offrampAvailable: sells,
});

function line({ kind, id, createdAt, quoted, linked }: Person): string {
  const quote = quoted !== null && linked ? `q-${id}` : '';
  return `${kind},${id},token-${id},${new Date(createdAt).toISOString()},${quote}`;
}

/** Defects are spread over the population, the kinds in turn. */
function population({ purchases, sales, planted, observed, webhooks }: NightForm, people: People): Person[] {
  const kinds = DEFECTS.filter(
    ({ states, dated }) => observed || (states === undefined && (webhooks || dated === undefined)),
  );
  const make = (kind: Person['kind'], count: number): Person[] => {
    const own = kinds.filter((defect) => defect.kind === kind);
    const total = own.length * planted;
    return Array.from({ length: count }, (_, n) => {
      const turn = Math.floor((n * total) / count);
      const isFirst = n === 0 || Math.floor(((n - 1) * total) / count) < turn;
      const defect = isFirst ? (own[turn % own.length] ?? null) : null;
      return kind === 'purchase' ? people.purchase(n, defect) : people.sale(n, defect);
    });
  };
  return [...make('purchase', purchases), ...make('sale', sales)];
}

function score(
  all: readonly Person[],
  found: ReadonlyMap<string, ReadonlySet<string>>,
  told: ReadonlyMap<string, string>,
): Omit<NightScore, 'others'> {
  const missed: string[] = [];
  const alarms: string[] = [];
  const sentences: string[] = [];
  const byRule: Record<string, number> = {};
  let planted = 0;
  for (const person of all) {
    const { id, defect, quoted } = person;
    const said = [...(found.get(id) ?? [])];
    const rules = said.map((each) => each.split(' ')[0] ?? '');
    if (defect !== null) {
      planted++;
      if (!defect.due.some((code) => rules.includes(code))) missed.push(`${id} ${defect.name}: ${said.join(', ')}`);
    }
    // A record without a quote is one where quotes are the rule; other words about a defect are the defect's.
    const allowed = [
      ...(quoted === null ? ['QUOTE_MISSING'] : []),
      ...(defect === null ? [] : [...defect.due, ...defect.also]),
    ];
    const false_ = said.filter((_, i) => !allowed.includes(rules[i] ?? ''));
    if (false_.length === 0) continue;
    alarms.push(`${id}${defect === null ? '' : ` (${defect.name})`}: ${false_.join(', ')}`);
    for (const each of false_) sentences.push(`${id} ${each}: ${told.get(`${id} ${each.split(' ')[0]}`)}`);
    for (const each of false_) byRule[each] = (byRule[each] ?? 0) + 1;
  }
  return { planted, missed, clean: all.length - planted, alarms, byRule, sentences };
}
