/** A file that is hashed and counted while it is written, through a buffer of its own. */
import { createHash } from 'node:crypto';
import { createPrivateFile, type FileSystem, writeAll } from './file-system.ts';

/** Bytes buffered before they are hashed and written, so that the cost of the calls is negligible. */
const BUFFER = 128 * 1024;
/** No UTF-16 unit takes more bytes in UTF-8. */
const WIDEST = 3;

export interface Measured {
  bytes: number;
  /** 64 hexadecimal digits. */
  sha256: string;
}

export class HashedFile {
  private readonly fileSystem: FileSystem;
  private readonly file: number;
  private readonly hash = createHash('sha256');
  private readonly buffer = Buffer.allocUnsafe(BUFFER);
  private used = 0;
  private bytes = 0;
  private isOpen = true;

  /** Creates the file, readable by its owner alone. @throws the file system's own errors. */
  constructor(path: string, fileSystem: FileSystem) {
    this.fileSystem = fileSystem;
    this.file = createPrivateFile(fileSystem, path);
  }

  /** @param text whole characters: a surrogate pair must not be split between two calls. */
  write(text: string): void {
    const most = text.length * WIDEST;
    if (this.used + most > BUFFER) this.flush();
    // Encoding into the buffer spares the string that a whole buffer's rows would have to become first.
    if (most <= BUFFER) this.used += this.buffer.write(text, this.used);
    else this.put(Buffer.from(text));
  }

  writeBytes(bytes: Uint8Array): void {
    this.flush();
    this.put(bytes);
  }

  /** Writes the buffered rest, makes it durable and closes the file. */
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
    const { used } = this;
    this.used = 0;
    if (used > 0) this.put(this.buffer.subarray(0, used));
  }

  private put(bytes: Uint8Array): void {
    this.hash.update(bytes);
    this.bytes += bytes.length;
    writeAll(this.fileSystem, this.file, bytes);
  }
}
