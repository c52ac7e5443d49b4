/** A file that is hashed and counted while it is written, through a buffer of its own. */
import { createHash } from 'node:crypto';
import { createPrivateFile, type FileSystem, writeAll } from './file-system.ts';

/** UTF-16 units gathered before they are encoded and written: large enough that the calls do not show. */
const BUFFER = 128 * 1024;

export interface Measured {
  bytes: number;
  /** 64 hexadecimal digits. */
  sha256: string;
}

export class HashedFile {
  private readonly fileSystem: FileSystem;
  private readonly file: number;
  private readonly hash = createHash('sha256');
  private pending = '';
  private bytes = 0;
  private isOpen = true;

  /** Creates the file, readable by its owner alone. @throws the file system's own errors. */
  constructor(path: string, fileSystem: FileSystem) {
    this.fileSystem = fileSystem;
    this.file = createPrivateFile(fileSystem, path);
  }

  /** @param text whole characters: a surrogate pair must not be split between two calls. */
  write(text: string): void {
    this.pending += text;
    if (this.pending.length >= BUFFER) this.flush();
  }

  writeBytes(bytes: Uint8Array): void {
    this.flush();
    this.put(bytes);
  }

  /** Writes what is left, makes it durable and closes the file. */
  finish(): Measured {
    this.flush();
    this.fileSystem.sync(this.file);
    this.close();
    return { bytes: this.bytes, sha256: this.hash.digest('hex') };
  }

  /** Closes without finishing, for a set that is thrown away; closing twice does nothing. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.fileSystem.close(this.file);
  }

  private flush(): void {
    if (this.pending === '') return;
    const bytes = Buffer.from(this.pending, 'utf8');
    this.pending = '';
    this.put(bytes);
  }

  private put(bytes: Uint8Array): void {
    this.hash.update(bytes);
    this.bytes += bytes.length;
    writeAll(this.fileSystem, this.file, bytes);
  }
}
