/** A bucket of S3 or of a store with the same interface. Each object is put in one request, and so appears whole. */
import { packageOrRemedy } from '../../domain/optional-package.ts';
import { firstBytes } from '../../text/first-bytes.ts';
import { withoutSlashes } from '../../text/url-path.ts';
import { sha256Of } from '../manifest.ts';
import type { Target } from './target.ts';

const TIMEOUT_MS = 120_000;

export async function s3Target(
  { url, region, accessKeyId }: { url: string; region: string; accessKeyId: string },
  secretAccessKey: string,
): Promise<Target> {
  const { AwsClient } = await packageOrRemedy(() => import('aws4fetch'), 'delivery by S3', 'aws4fetch@1');
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 3 });
  const base = withoutSlashes(url);
  const { host } = new URL(base);
  const ask = async (path: string, init: RequestInit = {}) => {
    const asked = client.fetch(`${base}/${path}`, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = await asked.catch((error: unknown) => {
      // `fetch failed` says nothing; its cause names no address but that of the host.
      const { cause, name } = error as { cause?: { code?: string; message?: string }; name: string };
      throw new Error(`${host} gives no answer for ${path} (${cause?.code ?? cause?.message ?? name})`);
    });
    if (answer.ok && init.method === undefined) return answer;
    // Left unread, a body without an end would keep its connection.
    await answer.body?.cancel();
    if (answer.ok || answer.status === 404) return answer;
    // The body of the answer may repeat the key's id.
    throw new Error(`${host} answers ${answer.status} for ${path}`);
  };
  return {
    read: async (path, most) => {
      const { status, body } = await ask(path);
      if (status === 404) return null;
      try {
        return await firstBytes(body ?? [], most);
      } catch {
        throw new Error(`${host} breaks off its answer for ${path}`);
      }
    },
    write: async (path, bytes) => {
      // The store refuses a body that was changed on its way.
      const headers = { 'x-amz-content-sha256': sha256Of(bytes) };
      const answer = await ask(path, { method: 'PUT', body: Buffer.from(bytes), headers });
      if (!answer.ok) throw new Error(`${host} has no such bucket (404)`);
    },
    close: async () => {},
  };
}
