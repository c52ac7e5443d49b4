/** A contract's price list, read from its file. */
import { readYaml } from '../../config/yaml-file.ts';
import { type PriceProblem, readPriceList } from '../books/prices/read-price-list.ts';
import { EXIT, TieoutError } from '../domain/errors.ts';
import type { PriceList } from '../domain/price-list.ts';
import { readText, whyUnreadable } from '../text/unreadable.ts';

/** Thrown for a price list that cannot be read, or contradicts itself. Exit code 2. */
export class PriceListError extends TieoutError {
  override readonly name = 'PriceListError';
  override readonly exitCode = EXIT.usage;
  readonly problems: readonly string[];
  constructor(problems: readonly string[], cause?: unknown) {
    super(problems.join('\n'), { remedy: 'correct the price list; `tieout prices check FILE` checks it again', cause });
    this.problems = problems;
  }
}

/** @throws PriceListError */
export function loadPriceList(file: string): PriceList {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    throw new PriceListError([`${file}: ${whyUnreadable(error)}`], error);
  }
  return priceListIn(text, file);
}

/** @throws PriceListError with every problem as `FILE:LINE: what` */
export function priceListIn(text: string, file: string): PriceList {
  const yaml = readYaml(text, file);
  if (yaml.problems.length > 0)
    throw new PriceListError(yaml.problems.map(({ where, message }) => `${where}: ${message}`));
  const read = readPriceList(yaml);
  if ('problems' in read) throw new PriceListError(read.problems.map((each) => inWords(file, each)));
  return read;
}

function inWords(file: string, { line, message }: PriceProblem): string {
  return line === null ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}
