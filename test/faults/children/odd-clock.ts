/**
 * Preloaded into a child. TIEOUT_FAULTS_CLOCK=jumps: the wall clock is an hour early, right or an hour late, another one
 * every half a second. =sleeps: monotonic time does not count what passed while the process was stopped, as it does not
 * while a laptop sleeps.
 */
const HOUR_MS = 3_600_000;
const LONGEST_TICK_NS = 1_000_000_000n;
const mode = process.env.TIEOUT_FAULTS_CLOCK;

if (mode === 'jumps') {
  const real = Date.now.bind(Date);
  const offsets = [0, HOUR_MS, -HOUR_MS, 0, -HOUR_MS, HOUR_MS];
  Date.now = () => {
    const now = real();
    return now + (offsets[Math.floor(now / 500) % offsets.length] ?? 0);
  };
}

if (mode === 'sleeps') {
  const real = process.hrtime.bigint.bind(process.hrtime);
  let last = real();
  let slept = 0n;
  // Looked at often, so that a long gap can only be a sleep.
  setInterval(() => process.hrtime.bigint(), 100).unref();
  process.hrtime.bigint = () => {
    const now = real();
    if (now - last > LONGEST_TICK_NS) slept += now - last - LONGEST_TICK_NS;
    last = now;
    return now - slept;
  };
}
