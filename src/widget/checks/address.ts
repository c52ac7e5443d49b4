/** Whether `userAddress` can be an address of the chains that the configuration names (spec §2.11). */
import { addressKind, recogniseAddress } from '../../domain/addresses/chains.ts';
import { chainOf } from '../assets.ts';
import { given, listItems } from '../config.ts';
import { type WidgetProblem, widgetProblem } from '../problems.ts';
import { type CheckInput, checkOf } from './input.ts';

const LISTS = ['enabledCryptoAssets', 'swapAsset', 'offrampAsset'] as const;
const SELECTED = ['inAsset', 'outAsset', 'defaultAsset'] as const;

/**
 * Chains of the enabled assets; without a list those of the selected ones. None means that every chain is possible.
 */
function configuredChains({ config }: CheckInput): readonly string[] {
  const chains = (names: readonly string[]) =>
    names.flatMap((name) => listItems(given(config, name))).flatMap((item) => chainOf(item.trim()) ?? []);
  const enabled = chains(LISTS);
  return [...new Set(enabled.length > 0 ? enabled : chains(SELECTED))];
}

/**
 * Crypto sent to an address of another chain is lost. An error where no configured chain has such addresses; a
 * warning where some have; nothing where a chain is not known here.
 */
export const userAddress = checkOf('userAddress', (text, input) => {
  const chains = configuredChains(input);
  return chains.length === 0 ? ofNoChain(text) : ofChains(text, chains);
});

function ofNoChain(text: string): WidgetProblem | null {
  const found = recogniseAddress(text);
  if (found?.answer === 'valid') return null;
  if (found?.answer === 'checksum') return checksum(text, found.kind.name);
  return widgetProblem('ADDRESS_UNRECOGNISED', 'userAddress', text, {
    message: 'no chain that is known here has addresses of this form',
    remedy: nameRemedy(text) ?? 'Check the address, and name the asset that it is for in enabledCryptoAssets.',
  });
}

function ofChains(text: string, chains: readonly string[]): WidgetProblem | null {
  const judged = chains.flatMap((chain) => {
    const kind = addressKind(chain);
    return kind === undefined ? [] : [{ chain, kind, answer: kind.form(text) }];
  });
  const refused = judged.filter(({ answer }) => answer !== 'valid');
  const [first] = refused;
  if (first === undefined) return null;
  const mistyped = refused.find(({ answer }) => answer === 'checksum');
  const refusing = refused.map(({ chain }) => chain).join(', ');
  // The intended chain may be one without a known address format.
  if (refused.length < chains.length) {
    if (mistyped !== undefined && refused.length === judged.length) return checksum(text, mistyped.kind.name);
    return widgetProblem('ADDRESS_OF_SOME_CHAINS', 'userAddress', text, {
      message: `this cannot be an address on ${refusing}, whose assets are enabled as well`,
      remedy: 'Enable only the assets of its own chain, or leave userAddress out.',
    });
  }
  if (mistyped !== undefined) return checksum(text, mistyped.kind.name);
  const other = recogniseAddress(text);
  const looks = other?.answer === 'valid' ? `; it looks like ${other.kind.name}` : '';
  return widgetProblem('ADDRESS_INVALID', 'userAddress', text, {
    message: `this cannot be an address on ${refusing}${looks}`,
    remedy: nameRemedy(text) ?? `Give ${first.kind.name}.`,
  });
}

function checksum(text: string, name: string): WidgetProblem {
  return widgetProblem('ADDRESS_CHECKSUM', 'userAddress', text, {
    message: `this has the form of ${name}, but its checksum does not match: a letter is wrong`,
    remedy: 'Copy the address again; never correct it by hand.',
  });
}

/** `name.eth` is a name that a wallet looks up. */
function nameRemedy(text: string): string | undefined {
  return /^[\w-]+\.(eth|sol|crypto|x|bnb|xyz)$/i.test(text)
    ? 'Look the name up, and give the address it stands for.'
    : undefined;
}
