/** A bucket of S3 or of a store with the same interface. Each object is put in one request, and so appears whole. */
import { packageOrRemedy } from '../../domain/optional-package.ts';
import { type Target, withoutSlash } from './target.ts';

const TIMEOUT_MS = 120_000;

export async function s3Target(
  { url, region, accessKeyId }: { url: string; region: string; accessKeyId: string },
  secretAccessKey: string,
): Promise<Target> {
  const { AwsClient } = await packageOrRemedy(() => import('aws4fetch'), 'delivery by S3', 'aws4fetch@1');
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 3 });
  const base = withoutSlash(url);
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await client.fetch(`${base}/${path}`, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.ok || answer.status === 404) return answer;
    // The body of the answer may repeat the key's id.
    throw new Error(`${new URL(base).host} answers ${answer.status} for ${path}`);
  };
  return {
    read: async (path, most) => {
      const { status, body } = await ask(path);
      if (status === 404) return null;
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      for await (const piece of body ?? []) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > most) break;
      }
      return Buffer.concat(pieces).subarray(0, most + 1);
    },
    write: async (path, bytes) => {
      const answer = await ask(path, { method: 'PUT', body: Buffer.from(bytes) });
      if (!answer.ok) throw new Error(`${new URL(base).host} has no such bucket (404)`);
    },
    close: async () => {},
  };
}
