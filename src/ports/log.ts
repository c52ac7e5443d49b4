/** The log of a process: the part of a pino logger that is used. */
export interface Log {
  info: (facts: object, message: string) => void;
  warn: (message: string) => void;
  error: (message: string) => void;
}
