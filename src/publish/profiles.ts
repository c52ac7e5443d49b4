/** How a CSV file is spelled for the program that opens it. */
import type { ProfileName } from './contract.ts';

export interface Profile {
  name: ProfileName;
  /** Excel takes a file without it for an old code page. */
  bom: boolean;
  delimiter: ',' | ';';
  lineEnd: '\n' | '\r\n';
  decimalPoint: '.' | ',';
}

const ALL: Readonly<Record<ProfileName, Profile>> = {
  standard: { name: 'standard', bom: false, delimiter: ',', lineEnd: '\n', decimalPoint: '.' },
  excel: { name: 'excel', bom: true, delimiter: ',', lineEnd: '\r\n', decimalPoint: '.' },
  'excel-eu': { name: 'excel-eu', bom: true, delimiter: ';', lineEnd: '\r\n', decimalPoint: ',' },
  'google-sheets': { name: 'google-sheets', bom: false, delimiter: ',', lineEnd: '\n', decimalPoint: '.' },
};

export function profileOf(name: ProfileName): Profile {
  return ALL[name];
}
