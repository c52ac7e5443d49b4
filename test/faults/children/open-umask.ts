/** Preloaded into a child: whatever it makes and does not restrict itself, everybody on the machine may read and write. */
process.umask(0);
