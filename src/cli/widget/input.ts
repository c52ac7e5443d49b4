/** Reads a widget configuration from a file, standard input or a hosted URL, and from flags, which override it. */
import { isRawList, isRawMap, type RawValue } from '../../../config/raw.ts';
import { readYaml } from '../../../config/yaml-file.ts';
import { readTextFile } from '../../app/read-csv.ts';
import { UsageError } from '../../domain/errors.ts';
import type { AssetTerms, GlobalTerms } from '../../domain/reference.ts';
import { driftInWords } from '../../service/drift.ts';
import { ExactJsonError, isExactObject, parseExactJson } from '../../service/exact-json.ts';
import { normaliseAssets } from '../../service/normalise-reference.ts';
import { typedValue } from '../../widget/config.ts';
import type { WidgetProblem } from '../../widget/problems.ts';
import { readWidgetUrl } from '../../widget/url.ts';
import { nameAndValue } from '../flags.ts';
import type { Session } from '../session.ts';

interface WidgetInput {
  config: Readonly<Record<string, unknown>>;
  /** Where the widget is, for a configuration that came as a URL; null otherwise. */
  baseUrl: string | null;
  /** Problems of the URL itself. */
  problems: readonly WidgetProblem[];
}

/** A configuration is a page of text at most; more is something else. */
const LONGEST = 1_048_576;

/**
 * @param source a path, `-`, a hosted URL, or undefined where flags say it all
 * @param sets `name=value` each
 * @throws UsageError for what cannot be read; WidgetUrlError for a URL that is no widget's
 */
export async function readWidgetInput(
  session: Session,
  source: string | undefined,
  sets: readonly string[] = [],
): Promise<WidgetInput> {
  if (source === undefined && sets.length === 0) {
    throw new UsageError(
      'no configuration given: name a file, - for standard input, a hosted URL, or --set name=value',
    );
  }
  const read = source === undefined ? { config: {}, baseUrl: null, problems: [] } : await readSource(session, source);
  return { ...read, config: { ...read.config, ...Object.fromEntries(sets.map(readSet)) } };
}

const isUrl = (text: string) => /^https?:\/\/\S+$/i.test(text.trim());

async function readSource(session: Session, source: string): Promise<WidgetInput> {
  if (isUrl(source)) return readWidgetUrl(source.trim());
  const name = source === '-' ? '(standard input)' : source;
  const text = source === '-' ? await standardInput(session) : readTextFile(source);
  // A URL in a file keeps its key out of the list of processes.
  if (isUrl(text)) return readWidgetUrl(text.trim());
  return { config: readConfig(text, name), baseUrl: null, problems: [] };
}

/** JSON is YAML. Numbers keep their digits as text, so that no amount of units passes through binary floating point. */
function readConfig(text: string, name: string): Readonly<Record<string, unknown>> {
  const { tree, problems } = readYaml(text, name);
  if (problems.length > 0)
    throw new UsageError(problems.map(({ where, message }) => `${where ?? name}: ${message}`).join('\n'));
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, plain(key, value)]));
}

/** No parameter takes a map; maps are passed on, and the check reports them. */
function plain(name: string, value: RawValue): unknown {
  if (typeof value === 'string') return typedValue(name, value);
  return isRawList(value) || isRawMap(value) ? value : null;
}

function readSet(pair: string): readonly [string, unknown] {
  const [name, value] = nameAndValue('--set', pair);
  return [name, typedValue(name, value)];
}

async function standardInput({ world }: Session): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of world.stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > LONGEST) throw new UsageError('(standard input): too large for a widget configuration');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * On-ramp or off-ramp, as `tieout service assets` prints it.
 * @throws UsageError for a file that is no assets response
 */
export function readAssetsFile(path: string): { assets: readonly AssetTerms[]; limits: GlobalTerms } {
  const refuse = (why: string, cause?: unknown) => new UsageError(`--assets ${path}: ${why}`, { cause });
  const body = parse(readTextFile(path, `--assets ${path}`), refuse);
  const currency = isExactObject(body) && typeof body.currencyCode === 'string' ? body.currencyCode : 'EUR';
  // Only the on-ramp publishes fees (spec §2.3).
  const direction = isExactObject(body) && 'minFeeAmount' in body ? 'onramp' : 'offramp';
  const reading = normaliseAssets(body, { api: 'v3', direction, currency });
  if (!reading.ok)
    throw refuse(`is not an assets response of v3: ${reading.drift.slice(0, 3).map(driftInWords).join('; ')}`);
  return { assets: reading.value.assets, limits: reading.value.global };
}

function parse(text: string, refuse: (why: string, cause: unknown) => UsageError): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof ExactJsonError) throw refuse(error.message, error);
    throw error;
  }
}
