/** Preloaded into a child: files that it makes without a mode of their own are readable and writable by every user. */
process.umask(0);
