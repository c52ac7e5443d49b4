/** The short form over PostgreSQL: most of it is work of the server. */
import { isSwitchedOff } from '../../store/postgres/server.ts';
import { holdsTogether } from './a-year.ts';

if (!isSwitchedOff()) holdsTogether('PostgreSQL');
