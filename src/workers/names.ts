/** What the queue is called in its database. */

/** Apart from the tables of Tieout, so that a backup or a role may tell them apart. */
export const QUEUE_SCHEMA = 'tieout_queue';
/** The batches of all runs. */
export const QUEUE = 'tieout-fetch';
