import { afterAll, afterEach } from 'vitest';
import { type RecordServer, startRecordServer } from '../../support/record-server.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

interface OnAServer {
  server: RecordServer;
  /** @param url of the Service in its settings; null for none */
  open: (options?: WorkspaceOptions, url?: string | null) => Workspace;
}

/** A server of records for the tests of a file. After each test its answers are forgotten, and workspaces removed. */
export async function onARecordServer(): Promise<OnAServer> {
  const server = await startRecordServer();
  const opened: Workspace[] = [];
  afterEach(() => {
    for (const each of opened.splice(0)) each.remove();
    server.answers.clear();
    server.paths.clear();
    server.requests.length = 0;
  });
  afterAll(() => server.close());
  return {
    server,
    open(options, url = server.url) {
      const place = openWorkspace(url, options);
      opened.push(place);
      return place;
    },
  };
}
