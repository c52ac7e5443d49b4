/** Packages that only some deployments need. */
import { codeOf, UsageError } from '../../domain/errors.ts';

/** Thrown where a target needs a package that is not installed. Exit code 2. */
class PackageMissingError extends UsageError {}

/** @throws PackageMissingError with the command that installs it */
export async function packageOrRemedy<T>(name: string, what: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new PackageMissingError(`delivery by ${what} needs the package ${name}, which is not installed`, {
      remedy: `install it: npm install ${name}`,
      cause: error,
    });
  }
}
