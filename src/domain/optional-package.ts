/** Packages that only some deployments need: they are left out of the installation, and a message says how to add one. */
import { codeOf, UsageError } from './errors.ts';

/**
 * @param what begins the sentence: `delivery by S3`
 * @param version the name with the major version that fits: `aws4fetch@1`
 * @throws UsageError with the command that installs it
 */
export async function packageOrRemedy<T>(load: () => Promise<T>, what: string, version: string): Promise<T> {
  const loaded = await packageIfInstalled(load);
  if (loaded !== null) return loaded;
  throw new UsageError(`${what} needs the package ${version.replace(/@\d+$/, '')}, which is not installed`, {
    remedy: `install it beside Tieout: npm install ${version}`,
  });
}

/** Null where the package, or one that it needs, is not installed. */
export async function packageIfInstalled<T>(load: () => Promise<T>): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
