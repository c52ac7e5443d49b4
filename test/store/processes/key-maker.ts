/** Reads the key file, or makes it, and prints the key: `node key-maker.ts PATH`. */
import { readOrMakeKeyFile } from '../../../src/store/sealing-key.ts';

console.log(readOrMakeKeyFile(String(process.argv[2])).key);
