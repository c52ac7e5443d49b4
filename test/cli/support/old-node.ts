/** Loaded with `--import`: this Node says that it is an older one. What it starts is not told so. */
Object.defineProperty(process.versions, 'node', { value: '20.11.0' });
