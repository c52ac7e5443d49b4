/** Loaded with `--import`: this Node reports an older version. Its child processes do not. */
Object.defineProperty(process.versions, 'node', { value: '20.11.0' });
