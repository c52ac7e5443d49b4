/** Preloaded into a child: its wall clock stands at TIEOUT_FAULTS_NOW. The monotonic clock is the machine's own. */
const at = Number(process.env.TIEOUT_FAULTS_NOW);
Date.now = () => at;
