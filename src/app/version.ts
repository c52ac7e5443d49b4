/** The version of the code, as manifests state it: raised whenever a judgement or a report may come out differently. */
export const CODE_VERSION = '0.1.0';
