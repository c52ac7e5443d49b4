/** The specification has `purchaseViewToken`, SDK events have `saleViewToken`; other spellings hold a token just as well. */
export function isTokenField(name: string): boolean {
  return /view_?token$/i.test(name);
}
