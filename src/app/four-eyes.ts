/** What the settings ask of a second person. */
import type { Settings } from '../../config/settings.ts';
import type { WaiverLimits } from '../worklist/work.ts';

export function waiverLimits({ fourEyes }: Settings): WaiverLimits {
  return { above: fourEyes.waiversAbove, severities: fourEyes.waiversOf };
}

/** Where people sign in or two must agree, a name from the shell proves nothing. */
export function localLinksOf({ access, pages, fourEyes }: Settings): 'stated' | 'proved' | 'off' {
  const tellsApart =
    pages.oidc !== null ||
    fourEyes.periods ||
    fourEyes.claims ||
    fourEyes.waiversAbove.size > 0 ||
    fourEyes.waiversOf.length > 0;
  return access.localLinks ?? (tellsApart ? 'off' : 'stated');
}
