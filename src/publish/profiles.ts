/** How a CSV file is spelled for the program that opens it. See docs/decisions on what spreadsheets do to cells. */
import type { ProfileName } from '../ports/report-definition.ts';

export interface Profile {
  name: ProfileName;
  /** Excel takes a file without it for an old code page. */
  bom: boolean;
  delimiter: ',' | ';';
  lineEnd: '\n' | '\r\n';
  /** Never the delimiter, so numbers need no quotes. */
  decimalPoint: '.' | ',';
  /** Whether texts that this program would turn into another number (`00322`, 16 digits, `12e5`) are marked as texts. */
  guardsNumerals: boolean;
}

const ALL: Readonly<Record<ProfileName, Profile>> = {
  standard: {
    name: 'standard',
    bom: false,
    delimiter: ',',
    lineEnd: '\n',
    decimalPoint: '.',
    guardsNumerals: false,
  },
  excel: { name: 'excel', bom: true, delimiter: ',', lineEnd: '\r\n', decimalPoint: '.', guardsNumerals: true },
  'excel-eu': { name: 'excel-eu', bom: true, delimiter: ';', lineEnd: '\r\n', decimalPoint: ',', guardsNumerals: true },
  'google-sheets': {
    name: 'google-sheets',
    bom: false,
    delimiter: ',',
    lineEnd: '\n',
    decimalPoint: '.',
    guardsNumerals: true,
  },
};

export function profileOf(name: ProfileName): Profile {
  return ALL[name];
}

/** Plain digits with a point, as the profile prints numbers. */
export function pointed(number: string, profile: Profile): string {
  return profile.decimalPoint === '.' ? number : number.replace('.', profile.decimalPoint);
}
