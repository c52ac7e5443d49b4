/** Settings as a program gives them: names and values of tieout.yaml. Made by `node config/write-example.ts`. */
export interface TieoutSettings {
  /** The Service, and how requests are sent to it. */
  readonly service?: {
    /** The base address of the Service. Everything that sends a request to the Service needs it. Allowed: the https address of the Service that ends in /api, such as https://service.example/api, or none. */
    readonly url?: string | number | null | undefined;
    /** The maker's name in identifiers on the wire: base<Name>Fee. Allowed: the maker’s name as it stands in identifiers, letters and digits. */
    readonly identifierName?: string | number | undefined;
    /** The integration key. Quotes need it. */
    readonly hostApiKey?: string | undefined;
    /** Requests in flight at once. The rate is bounded by rateLimits alone. Allowed: a whole number from 1 to 256. */
    readonly concurrency?: number | undefined;
    /** The allowance of one address at the Service: no window of `per` ever has more than `requests`. Or off, for a Service of your own on this machine. */
    readonly rateLimits?: 'off' | false | readonly ({
      /** Allowed: a whole number from 1 to 1000000. */
      readonly requests: number;
      /** Allowed: a duration from 1s to 7d, such as 5s, 15m, 12h. */
      readonly per: string;
    })[] | undefined;
    /** The longest time between sending a request and the moment at which the Service counts it. Allowed: a duration from 0s to 1m, such as 5s. */
    readonly guard?: string | undefined;
    /** Deadline of one whole exchange, from connecting to the last byte of the answer. Allowed: a duration from 1s to 5m, such as 5s. */
    readonly timeout?: string | undefined;
    /** Attempts after the first, for transient failures: lost connections, timeouts, 500, 502, 503 and 504. Allowed: a whole number from 0 to 10. */
    readonly retries?: number | undefined;
    /** Path of one sale below url. Some deployments have it at /host-api/v3/offramp/sale/{id}. Allowed: a path with {id} in it, such as /host-api/offramp/sale/{id}. */
    readonly salePath?: string | number | undefined;
    /** A name for the address that requests leave from; none is one name for the database. All processes with the same database and egress share one allowance. Set it only where processes leave from addresses of their own, as workers do. Allowed: a name of letters, digits, dots and hyphens, or none. */
    readonly egress?: string | number | null | undefined;
    /** IP address of this machine to send from, where it has several; none leaves the choice to the system. Allowed: an IP address of this machine, such as 192.0.2.7, or none. */
    readonly localAddress?: string | number | null | undefined;
    /** The proxy that requests to the Service leave by, as a tunnel (CONNECT): it sees the host and no token. The allowance is that of the address it sends from, shared with all who send by it. All else obeys HTTPS_PROXY where NODE_USE_ENV_PROXY is 1, as Node does. Allowed: http://proxy.example:3128 or https://user:password@host:port, or none. */
    readonly proxy?: string | number | null | undefined;
  } | undefined;
  /** The database. */
  readonly database?: {
    /** Where records, runs and breaks are stored. Allowed: sqlite:PATH, such as sqlite:var/tieout.db, or postgres://user@host:5432/name. */
    readonly url?: string | number | undefined;
    /** One run at a time. */
    readonly lease?: {
      /** How long a run that does not renew its lease keeps it before another run may start. Allowed: a duration from 5s to 1h, such as 5s, 15m. */
      readonly ttl?: string | undefined;
    } | undefined;
  } | undefined;
  /** Folder that report sets are published to. Allowed: a path. */
  readonly out?: string | number | undefined;
  /** Time zone in which business days begin and end. Allowed: an IANA time zone, such as UTC or Europe/Berlin. */
  readonly timezone?: string | number | undefined;
  /** Where ids and tokens come from; read before every nightly run. `path` may be a glob. A query returns columns named kind, id and view_token, and optionally created_at, host_reference, quote_id, expected_status, shown_total and shown_fee. `kind` here applies to lines without one; `format` (csv or ndjson) is detected if it is not given. A source of a plugin has `type: plugin`, its name as `source`, and `options`. */
  readonly sources?: readonly ({
    /** Allowed: a name. */
    readonly name: string | number;
    readonly type: 'file';
    /** Allowed: a path. */
    readonly path: string | number;
    /** Allowed: csv, ndjson, or none. */
    readonly format?: 'csv' | 'ndjson' | null | 'none' | undefined;
    /** Allowed: purchase, sale, or none. */
    readonly kind?: 'purchase' | 'sale' | null | 'none' | undefined;
    /** Allowed: true or false. */
    readonly optional?: boolean | undefined;
  } | {
    /** Allowed: a name. */
    readonly name: string | number;
    readonly type: 'sql';
    /** Allowed: sqlite:PATH, such as sqlite:var/tieout.db, or postgres://user@host:5432/name. */
    readonly url: string | number;
    /** Allowed: one SQL query that returns kind, id and view_token. */
    readonly query: string | number;
    /** Allowed: purchase, sale, or none. */
    readonly kind?: 'purchase' | 'sale' | null | 'none' | undefined;
  } | {
    /** Allowed: a name. */
    readonly name: string | number;
    readonly type: 'plugin';
    /** Allowed: the name of a source of a plugin. */
    readonly source: string | number;
    readonly options?: { readonly [name: string]: string | number } | undefined;
    /** Allowed: purchase, sale, or none. */
    readonly kind?: 'purchase' | 'sale' | null | 'none' | undefined;
  })[] | undefined;
  /** The jobs of `tieout schedule`. */
  readonly schedule?: {
    /** Time zone of the cron lines; business days have their own. Allowed: an IANA time zone, such as UTC or Europe/Berlin. */
    readonly timezone?: string | number | undefined;
    /** Cron lines (minute hour day month weekday) by job; off switches a job off. Jobs that are not named keep their default. Where clocks change, the hour from 02:00 to 03:00 is skipped or doubled. */
    readonly jobs?: { readonly [name: string]: 'off' | false | string | number } | undefined;
    /** A run that the schedule starts sends no request after this time: what is left is deferred, and comes first the next night. Allowed: a duration from 1s to 7d, such as 5s, 15m, 12h. */
    readonly maxDuration?: string | undefined;
    /** The same for single jobs. */
    readonly maxDurations?: { readonly [name: string]: string } | undefined;
    /** Where `tieout schedule` answers /healthz, /readyz and /metrics. */
    readonly metrics?: {
      /** Address to listen on. Allowed: an address or host name to listen on. */
      readonly host?: string | number | undefined;
      /** Port; 0 takes any free one, and off opens none. */
      readonly port?: 'off' | false | number | undefined;
    } | undefined;
  } | undefined;
  /** How captured quotes are matched with records. */
  readonly quotes?: {
    /** A captured quote belongs to a record that was created at most this long after it. Allowed: a duration from 0s to 7d, such as 5s, 15m, 12h. */
    readonly matchWindow?: string | undefined;
    /** A quote that was captured on the CREATED webhook belongs to a record that was created at most this long before it. Allowed: a duration from 0s to 1d, such as 5s, 15m, 12h. */
    readonly matchWindowAfter?: string | undefined;
    /** indicative: the quoted price is that of its moment, and a record is held against the market of its execution. locked: the quoted amounts bind. Allowed: indicative, locked. */
    readonly price?: 'indicative' | 'locked' | undefined;
    /** indicative: a network fee may move within tolerances.networkFee. locked: the quoted one binds. Allowed: indicative, locked. */
    readonly networkFee?: 'indicative' | 'locked' | undefined;
    /** Ask for a quote as soon as a CREATED webhook arrives and there is none. Allowed: true or false. */
    readonly captureOnCreated?: boolean | undefined;
  } | undefined;
  /** Two numbers agree when they differ by no more than the larger of absolute and relative × expected. */
  readonly tolerances?: {
    /** Fiat amounts. */
    readonly fiat?: {
      /** In major units of the currency; minor-unit is 0.01 EUR or 1 JPY. */
      readonly absolute?: 'minor-unit' | string | number | undefined;
      /** A fraction: 0.001 is 0.1 %. A quoted fee or total is held to the absolute part. Allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %. */
      readonly relative?: string | number | undefined;
    } | undefined;
    /** Crypto amounts. */
    readonly crypto?: {
      /** A fraction. The Service derives crypto amounts from floating point, so that they never agree to the last unit. Allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %. */
      readonly relative?: string | number | undefined;
    } | undefined;
    /** Quotes captured after the record, whose fees are compared as percentages. */
    readonly requoted?: {
      /** Percentage points of the crypto value. Allowed: a decimal number from 0 to 100, in percentage points. */
      readonly percentPoints?: string | number | undefined;
    } | undefined;
    /** Exchange rates. */
    readonly rate?: {
      /** How far the exchange rates of one record may contradict each other. Allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %. */
      readonly consistency?: string | number | undefined;
      /** How far a rate may stray from the reference price. Allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %. */
      readonly reference?: string | number | undefined;
      /** How far an executed price may lie outside the range of prices that others saw then, against the user. Allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %. */
      readonly sinceQuote?: string | number | undefined;
    } | undefined;
    /** How far a network fee may move from the quoted one, or from those published then, where quotes.networkFee is indicative. Allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %. */
    readonly networkFee?: string | number | undefined;
    /** absolute and relative for single currencies, by ISO 4217 code. */
    readonly currencies?: { readonly [name: string]: {
      readonly absolute?: 'minor-unit' | string | number | undefined;
      /** Allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %. */
      readonly relative?: string | number | undefined;
    } } | undefined;
    /** absolute and relative for single rules, by code. They win over those of a currency. */
    readonly rules?: { readonly [name: string]: {
      readonly absolute?: 'minor-unit' | string | number | undefined;
      /** Allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %. */
      readonly relative?: string | number | undefined;
    } } | undefined;
  } | undefined;
  /** The highest fee that the Service charges on a purchase, by method and currency, in percent, from one day until before another. A fee above the published maximum but not above its ceiling is only a remark; the first matching line counts. Where none matches, a fee that equals the quoted one is only a remark too. */
  readonly feeCeilings?: readonly ({
    readonly methods?: readonly (string | number)[] | null | 'none' | undefined;
    readonly currencies?: readonly (string | number)[] | null | 'none' | undefined;
    /** Allowed: a decimal number from 0 to 100, in percent of the crypto value. */
    readonly percent: string | number;
    /** Allowed: a day such as 2026-01-31. */
    readonly from: string | number;
    /** Allowed: a day such as 2026-01-31, or none. */
    readonly to?: string | number | null | undefined;
  })[] | undefined;
  /** Assets that were renamed, with the day. From then on both names are one asset: a coin by its chain, a token by its contract. A list that is given here replaces the default one. */
  readonly renamedAssets?: readonly ({
    /** Allowed: a symbol such as POL. */
    readonly chain: string | number;
    /** Allowed: a symbol such as POL. */
    readonly was: string | number;
    /** Allowed: a symbol such as POL. */
    readonly now: string | number;
    /** Allowed: a day such as 2026-01-31. */
    readonly since: string | number;
  })[] | undefined;
  /** Every status that a record may have. stage: a record moves to the same or a higher stage, never back, except to mayReturnTo at the lowest. terminal: nothing follows, except mayBecome. stuckAfter: the longest stay as a duration, in working days (3wd) or after the end time (endTime+24h); or none; or one for each payment method, beside default. moneyMoved: yes, no, pending or unknown, where the built-in meaning of the status does not fit. A list that is given here replaces the whole default list of that kind. */
  readonly statuses?: {
    /** Purchases. */
    readonly purchase?: readonly ({
      /** Allowed: a status as the Service writes it, such as RELEASED. */
      readonly value: string | number;
      /** Allowed: a whole number from 0 to 1000. */
      readonly stage: number;
      /** Allowed: true or false. */
      readonly terminal: boolean;
      readonly stuckAfter?: null | 'none' | 'off' | string | number | { readonly [name: string]: string | number } | undefined;
      readonly mayReturnTo?: number | null | 'none' | undefined;
      readonly mayBecome?: readonly (string | number)[] | null | 'none' | undefined;
      /** Allowed: yes, no, pending, unknown, or none. */
      readonly moneyMoved?: 'yes' | 'no' | 'pending' | 'unknown' | null | 'none' | undefined;
    })[] | undefined;
    /** Sales. */
    readonly sale?: readonly ({
      /** Allowed: a status as the Service writes it, such as RELEASED. */
      readonly value: string | number;
      /** Allowed: a whole number from 0 to 1000. */
      readonly stage: number;
      /** Allowed: true or false. */
      readonly terminal: boolean;
      readonly stuckAfter?: null | 'none' | 'off' | string | number | { readonly [name: string]: string | number } | undefined;
      readonly mayReturnTo?: number | null | 'none' | undefined;
      readonly mayBecome?: readonly (string | number)[] | null | 'none' | undefined;
      /** Allowed: yes, no, pending, unknown, or none. */
      readonly moneyMoved?: 'yes' | 'no' | 'pending' | 'unknown' | null | 'none' | undefined;
    })[] | undefined;
  } | undefined;
  /** Severity (info, low, medium, high, critical) of single rules, by code, or off. An info finding never opens a break. */
  readonly rules?: { readonly [name: string]: 'off' | false | {
    /** Allowed: info, low, medium, high, critical. */
    readonly severity: 'info' | 'low' | 'medium' | 'high' | 'critical';
  } } | undefined;
  /** The reports of a run. */
  readonly reports?: {
    /** The formats that a run publishes. */
    readonly formats?: readonly ('csv' | 'xlsx' | 'html' | 'json')[] | undefined;
    /** Dialect of CSV files: excel adds a byte order mark and CRLF, excel-eu also semicolons and decimal commas. Allowed: standard, excel, excel-eu, google-sheets. */
    readonly profile?: 'standard' | 'excel' | 'excel-eu' | 'google-sheets' | undefined;
    /** minor-units rounds fiat amounts to the places of their currency when they are printed. Comparing is always exact. by-profile: exact in CSV files of the profile standard, minor-units in those of the others, and in workbooks. Allowed: by-profile, exact, minor-units. */
    readonly decimals?: 'by-profile' | 'exact' | 'minor-units' | undefined;
    /** A currency in which money at stake is also summed and sorted, beside the currencies of the records. Without one, amounts are sorted within each currency. Allowed: a currency code such as EUR, or none. */
    readonly currency?: string | number | null | undefined;
    /** CSV file of its rates, with the columns date, currency and rate (units of reports.currency for one unit; the newest line up to the business date counts). Without one, rates are those of the newest published prices. Allowed: a path, or none. */
    readonly rates?: string | number | null | undefined;
  } | undefined;
  /** The journal for an accounting program (`tieout journal`). */
  readonly books?: {
    /** The month to which the host share of a record belongs, in accruals, journals and packs (`tieout revenue`, `tieout payouts match`, `tieout journal`): the month of its release, when it is earned, or the month of its creation. Allowed: released, created. */
    readonly revenueMonth?: 'released' | 'created' | undefined;
    /** Released records whose share is stated nowhere: counted and named only (off), or also estimated by the share that their own method had in the 90 days before (method-rate). Estimates are listed apart, are in no total, and end once the share is known. Allowed: off, method-rate. */
    readonly estimate?: 'off' | 'method-rate' | undefined;
    /** The start of each entry number. With four characters a number stays within the 21 that QuickBooks takes. Allowed: at most four letters, digits and hyphens. */
    readonly entryPrefix?: string | number | undefined;
    /** Accounts of your chart; none uses an example account of the accounting program. Xero needs codes, DATEV numbers, QuickBooks names as Parent:Sub, Beancount and hledger names as Assets:Receivable:Host-Fee. */
    readonly accounts?: {
      /** The accrued host share, which the Service owes you. Allowed: an account as the accounting program has it, or none. */
      readonly hostFeeReceivable?: string | number | null | undefined;
      /** Your revenue from the host share. Allowed: an account as the accounting program has it, or none. */
      readonly hostFeeRevenue?: string | number | null | undefined;
      /** Statistical: base fees that users paid to the Service. Allowed: an account as the accounting program has it, or none. */
      readonly userFees?: string | number | null | undefined;
      /** Statistical: network fees that users paid. Allowed: an account as the accounting program has it, or none. */
      readonly networkFees?: string | number | null | undefined;
      /** Statistical: discounts and other adjustments of fees. Allowed: an account as the accounting program has it, or none. */
      readonly feeAdjustments?: string | number | null | undefined;
      /** Statistical: the other side of those three. Allowed: an account as the accounting program has it, or none. */
      readonly serviceClearing?: string | number | null | undefined;
    } | undefined;
    /** Xero. */
    readonly xero?: {
      /** The name of the tax rate for these lines, exactly as your tax settings in Xero have it. Allowed: the full name of a tax rate. */
      readonly taxRate?: string | number | undefined;
    } | undefined;
    /** NetSuite. */
    readonly netsuite?: {
      /** Dates as the preferences of the user who imports have them. Allowed: MM/DD/YYYY, DD/MM/YYYY, YYYY-MM-DD. */
      readonly dateFormat?: 'MM/DD/YYYY' | 'DD/MM/YYYY' | 'YYYY-MM-DD' | undefined;
    } | undefined;
    /** DATEV. */
    readonly datev?: {
      /** Number of the tax consultant (Berater). Allowed: a whole number from 1001 to 9999999. */
      readonly consultant?: number | undefined;
      /** Number of the client (Mandant). Allowed: a whole number from 1 to 99999. */
      readonly client?: number | undefined;
      /** Digits of a general ledger account (Sachkontenlänge). Allowed: a whole number from 4 to 8. */
      readonly accountLength?: number | undefined;
      /** The first day of the fiscal year (WJ-Beginn), as MM-DD. Allowed: month and day, as 01-01. */
      readonly fiscalYearStart?: string | number | undefined;
    } | undefined;
  } | undefined;
  /** How stored records are judged and rendered. */
  readonly judging?: {
    /** Threads that judge a run, each with its own read connection. auto is one for each core in replay and report, and in a run that workers fetch; one thread for fewer than 40,000 records, and in a run that this process fetches itself, so that it stays under 300 MB. The files are the same at any number. */
    readonly threads?: 'auto' | number | undefined;
  } | undefined;
  /** Signatures of published sets. `tieout keys generate` makes a key pair. */
  readonly publish?: {
    /** Path of the Ed25519 private key (PEM) that manifests are signed with; none leaves them unsigned. The key itself is never a setting. Allowed: a path, or none. */
    readonly signingKeyFile?: string | number | null | undefined;
    /** Public keys that `tieout verify` checks signatures with. Keep the old one here after a rotation. */
    readonly verifyKeys?: readonly (string | number)[] | undefined;
  } | undefined;
  /** Runs that several machines fetch: `tieout worker` on each, PostgreSQL between them. Each needs an address of its own. */
  readonly workers?: {
    /** Cut runs into batches for workers, instead of fetching in the process that runs them. Allowed: true or false. */
    readonly enabled?: boolean | undefined;
    /** Records in one batch. Fewer than 200 mean more writes, because the answers of a batch are stored at once. Allowed: a whole number from 1 to 10000. */
    readonly batch?: number | undefined;
    /** A worker that is silent for this long is considered dead, and its batches go to others. Allowed: a duration from 10s to 1h, such as 15m. */
    readonly heartbeat?: string | undefined;
    /** After this long without progress, a run publishes its results so far and defers the rest. Allowed: a duration from 1s to 7d, such as 5s, 15m, 12h. */
    readonly patience?: string | undefined;
    /** Where a worker answers /healthz, /readyz and /metrics. */
    readonly metrics?: {
      /** Address to listen on. Allowed: an address or host name to listen on. */
      readonly host?: string | number | undefined;
      /** Port; 0 takes any free one, and off opens none. */
      readonly port?: 'off' | false | number | undefined;
    } | undefined;
  } | undefined;
  /** When records are fetched again, in days of the business time zone. */
  readonly due?: {
    /** Days after a clean end on which a record is fetched again, because restatements and returns come late. */
    readonly postTerminalDays?: readonly (number)[] | undefined;
    /** A record with an open break is fetched every night for this many days. Allowed: a whole number from 0 to 3650. */
    readonly breakDailyDays?: number | undefined;
    /** After that it is fetched again whenever this many days have passed. Allowed: a whole number from 1 to 3650. */
    readonly breakEveryDays?: number | undefined;
    /** A clean released purchase that was paid by card is fetched once more after this many days, because chargebacks come late. 0: never. Allowed: a whole number from 0 to 3650. */
    readonly cardDays?: number | undefined;
  } | undefined;
  /** Evidence from other sources than the Service, all optional: without endpoints no request is sent, and the rules on deliveries do not apply. */
  readonly evidence?: {
    /** Endpoints of chains, by the name that records have for the chain. type: evm, bitcoin (Esplora) or solana. quorum: how many endpoints must say the same. chainId (EVM) and genesis (Bitcoin, Solana: hash of the first block) refuse an endpoint of another chain. finality: finalized, or blocks on top (Bitcoin: 6 is usual). batch: JSON-RPC calls in one request. trace: how an EVM endpoint shows coins that moved inside contract calls. rateLimits count requests. */
    readonly chains?: readonly ({
      /** Allowed: a chain as records name it, such as ETH. */
      readonly chain: string | number;
      /** Allowed: evm, bitcoin, solana. */
      readonly type: 'evm' | 'bitcoin' | 'solana';
      readonly chainId?: number | null | 'none' | undefined;
      /** Allowed: the hash of the first block, or none. */
      readonly genesis?: string | number | null | undefined;
      /** Allowed: a whole number from 1 to 9. */
      readonly quorum?: number | undefined;
      readonly finality?: 'finalized' | number | undefined;
      readonly endpoints: readonly ({
        /** Allowed: a name, the only one of the endpoint in evidence. */
        readonly name: string | number;
        /** Allowed: an http or https address, in which {key} stands for the first line of keyFile. */
        readonly url: string | number;
        /** Allowed: the path of a file with the key on its first line, or none. */
        readonly keyFile?: string | number | null | undefined;
        /** Allowed: a whole number from 1 to 1000. */
        readonly batch?: number | undefined;
        /** Allowed: a whole number from 1 to 64. */
        readonly concurrency?: number | undefined;
        readonly rateLimits?: 'off' | false | readonly ({
          /** Allowed: a whole number from 1 to 10000000. */
          readonly requests: number;
          /** Allowed: a duration from 1s to 7d, such as 5s, 15m, 12h. */
          readonly per: string;
        })[] | undefined;
        /** Allowed: a duration from 1s to 5m, such as 5s. */
        readonly timeout?: string | undefined;
        /** Allowed: off, debug, trace. */
        readonly trace?: 'off' | 'debug' | 'trace' | undefined;
      })[];
    })[] | undefined;
    /** Payments of the host's revenue, compared with the accrual (`tieout payouts import`). */
    readonly payouts?: {
      /** Whether nights expect payments. auto: from the first imported statement on. Allowed: auto, always, never. */
      readonly expected?: 'auto' | 'always' | 'never' | undefined;
      /** How long after the end of a month the partner has to pay for it; a break opens only after that. Allowed: a duration from 1d to 730d, such as 90d, 400d. */
      readonly within?: string | undefined;
      /** The week of the month after in which the partner pays for a month (4: up to the 28th), instead of within. */
      readonly week?: number | null | 'none' | undefined;
      /** The smallest payout: a month that earned less is paid with the next one. By currency, with default for all others; or { amount, currency, scope }, where scope all compares the sum over all currencies with it, at the rates of the records, and scope currency each currency alone. */
      readonly minimum?: {
        /** Allowed: a decimal number of at least 0, in major units. */
        readonly amount: string | number;
        /** Allowed: an ISO 4217 code. */
        readonly currency: string | number;
        /** Allowed: all, currency. */
        readonly scope: 'all' | 'currency';
      } | { readonly [name: string]: string | number } | undefined;
      /** When an amount below the smallest payout is paid: with the month that reaches it (carry), or at the latest with the last month of the quarter. Allowed: carry, quarter. */
      readonly below?: 'carry' | 'quarter' | undefined;
      /** Terms of a partner as they are published: monthly-from-5000 pays in the fourth week, monthly from 5,000 EUR over all currencies, else quarterly. own: week, within, minimum and below decide. Allowed: own, monthly-from-5000. */
      readonly terms?: 'own' | 'monthly-from-5000' | undefined;
      /** By currency and default: a month whose payments differ by no more than this is listed and summed, and its break is low instead of high. */
      readonly materiality?: { readonly [name: string]: string | number } | undefined;
      /** How much of a payment for several currencies, or of a converted line, exchange rates may explain: it is an exchange difference, and no break. Allowed: a decimal number from 0 to 1, as a share of the payment. */
      readonly exchange?: string | number | undefined;
      /** The host's own addresses on chains, and the assets in which its share is paid there (`tieout payouts import --chain`). An asset without a contract is the chain's own coin. pays and rate: the currency of the revenue, and units of the asset for one of it; without them the payment is in the asset alone, and settles a month only at the rate that a statement names. */
      readonly treasury?: readonly ({
        /** Allowed: a chain of evidence.chains. */
        readonly chain: string | number;
        readonly addresses: readonly (string | number)[];
        readonly assets: readonly ({
          /** Allowed: the symbol of a token or coin, such as USDC. */
          readonly symbol: string | number;
          /** Allowed: the address of the token contract, or the mint, or none. */
          readonly contract?: string | number | null | undefined;
          /** Allowed: a whole number from 0 to 36. */
          readonly decimals: number;
          /** Allowed: an ISO 4217 code, or none. */
          readonly pays?: string | number | null | undefined;
          /** Allowed: a decimal number of at least 0, in units of the asset for one of that currency, or none. */
          readonly rate?: string | number | null | undefined;
        })[];
      })[] | undefined;
      /** The time zone in which the partner's months begin, if it is not that of the business days. The months of records and journals do not change. Allowed: an IANA time zone, such as UTC or Europe/Berlin, or none. */
      readonly timezone?: string | number | null | undefined;
      /** Who pays the host's share, as the reconciliation names it; without it, the Service's own name (`service.identifierName`). Allowed: a name, or none. */
      readonly partner?: string | number | null | undefined;
      /** Path of the revenue as it was posted in the books: a CSV with month (2026-10), currency and amount. Allowed: the path of a CSV with month, currency and amount, or none. */
      readonly posted?: string | number | null | undefined;
    } | undefined;
    /** How long after its release a purchase may be delivered, by asset, by chain, and default for all others. */
    readonly deliveredWithin?: { readonly [name: string]: string } | undefined;
  } | undefined;
  /** The fees that your contract with the partner allows. */
  readonly prices?: {
    /** Path of the price list (YAML); without one, the rule FEE_DIFFERS_FROM_CONTRACT is skipped. `tieout prices check` checks the list. Allowed: a path, or none. */
    readonly list?: string | number | null | undefined;
  } | undefined;
  /** The server of `tieout serve`. */
  readonly webhooks?: {
    /** Address to listen on. Allowed: an address or host name to listen on. */
    readonly host?: string | number | undefined;
    /** Port; 0 takes any free one. Allowed: a whole number from 0 to 65535. */
    readonly port?: number | undefined;
    /** Refuse webhooks whose X-Body-Signature does not verify. Allowed: true or false. */
    readonly requireSignature?: boolean | undefined;
    /** Public keys of the Service; a webhook may be signed with any of them. Name the keys of one environment only: a webhook signed with the key of the demo environment is then refused, and joins no live record. */
    readonly publicKeys?: readonly (string | number)[] | undefined;
    /** Bearer token for POST /events and POST /quotes. Without it both are closed. */
    readonly intakeToken?: string | undefined;
    /** Proxies whose X-Forwarded-For is trusted, so that each sender behind them has its own allowance. true trusts every sender, so that a sender can claim any address. */
    readonly trustProxy?: boolean | readonly (string | number)[] | undefined;
    /** Show the OpenAPI document at /openapi.json and /docs. auto: only while host is a loopback address and no proxy is trusted, so that only this machine can read it. */
    readonly docs?: 'auto' | boolean | undefined;
  } | undefined;
  /** The pages on which people work on breaks, part of `tieout serve`. */
  readonly pages?: {
    /** Serve them, as `tieout serve --pages` does. Allowed: true or false. */
    readonly enabled?: boolean | undefined;
    /** Address to listen on, where they have a port of their own. Allowed: an address or host name to listen on. */
    readonly host?: string | number | undefined;
    /** Port of their own; shared puts them on the port of the webhooks. Give them their own where the webhooks can be reached from the internet. */
    readonly port?: 'shared' | number | undefined;
    /** The address by which browsers reach them, for sign-in links and OIDC; none is the address that they listen on. Allowed: an http or https address without a path, or none. */
    readonly url?: string | number | null | undefined;
    /** How long a sign-in is valid. Allowed: a duration from 5m to 30d, such as 15m, 12h. */
    readonly sessionFor?: string | undefined;
    /** How long a one-time link of `tieout access link` is valid. Allowed: a duration from 1m to 7d, such as 15m, 12h. */
    readonly linkFor?: string | undefined;
    /** 32 bytes in base64 that cookies are sealed with. Without it each process has its own, so that people sign in again after a restart. */
    readonly cookieKey?: string | undefined;
    /** Sign-in by OpenID Connect (authorization code with PKCE). The address to register is <url>/sign-in/oidc/return. */
    readonly oidc?: {
      /** Allowed: an http or https address. */
      readonly issuer: string | number;
      /** Allowed: the id of this client. */
      readonly clientId: string | number;
      /** Allowed: the name of a claim. */
      readonly nameClaim?: string | number | undefined;
      /** Allowed: the name of a claim. */
      readonly rolesClaim?: string | number | undefined;
      /** Allowed: scopes, separated by blanks. */
      readonly scope?: string | number | undefined;
    } | null | 'none' | undefined;
    /** Secret of the client in pages.oidc; none for a public client. */
    readonly oidcClientSecret?: string | undefined;
    /** A reverse proxy that signs people in and names them in headers. It is trusted only on connections from these addresses; the proxy must remove such headers from the requests of its clients. */
    readonly proxy?: {
      readonly addresses: readonly (string | number)[];
      /** Allowed: the name of a header, such as x-forwarded-user. */
      readonly nameHeader?: string | number | undefined;
      /** Allowed: the name of a header, such as x-forwarded-user. */
      readonly rolesHeader?: string | number | undefined;
    } | null | 'none' | undefined;
    /** Which role a value of the roles claim or header gives. A person without any cannot sign in. */
    readonly roles?: { readonly [name: string]: 'viewer' | 'analyst' | 'closer' | 'reviewer' | 'administrator' } | undefined;
  } | undefined;
  /** How far sign-ins are trusted. */
  readonly access?: {
    /** What a sign-in by a link of `tieout access link` proves; any user who can write to the database can make one. stated: no more than a name on the command line. proved: the person may be the second of two. off: such links are refused. Default: off where pages.oidc or fourEyes is set, else stated. Allowed: stated, proved, off, or none. */
    readonly localLinks?: 'stated' | 'proved' | 'off' | null | 'none' | undefined;
  } | undefined;
  /** Acts that need two signed-in people, on the pages. */
  readonly fourEyes?: {
    /** Close and review a month on the pages only; the command line is refused. Allowed: true or false. */
    readonly periods?: boolean | undefined;
    /** Open and change claims on the pages only. The person who records that a claim was sent, recovered or written off must not be the one who recorded the step before. Allowed: true or false. */
    readonly claims?: boolean | undefined;
    /** Per currency, the difference above which a waiver needs a second person; where any is set, a waiver of a break whose money is unknown needs one too. */
    readonly waiversAbove?: { readonly [name: string]: string | number } | undefined;
    /** Severities whose waiver always needs a second person, also below waiversAbove. */
    readonly waiversOf?: readonly ('info' | 'low' | 'medium' | 'high' | 'critical')[] | undefined;
  } | undefined;
  /** Where runs are announced. */
  readonly notify?: {
    /** Called when a nightly run starts (/start is appended), after each that succeeded (the bare address) and after each that failed (/fail), as healthchecks-style services expect. So a missing call is an alarm too. Allowed: an http or https address, or none. */
    readonly heartbeatUrl?: string | number | null | undefined;
    /** Receives a short summary of each nightly run and audit as JSON, {"text": …}, as Slack and similar services accept it; for other jobs, only new breaks and failures. Allowed: an http or https address, or none. */
    readonly webhookUrl?: string | number | null | undefined;
    /** The same by mail. smtp changes to TLS by STARTTLS, smtps is TLS from the start; with a password, nothing is sent unencrypted. */
    readonly email?: {
      /** Allowed: smtp://user@host:587 (STARTTLS) or smtps://user@host:465. */
      readonly url: string | number;
      /** Allowed: a mail address, such as finance@example.com. */
      readonly from: string | number;
      readonly to: readonly (string | number)[];
    } | null | 'none' | undefined;
    /** Password of the user in notify.email.url. */
    readonly smtpPassword?: string | undefined;
    /** If a run opens more new breaks of one rule than this, they are announced as one. Allowed: a whole number from 1 to 1000000. */
    readonly stormCap?: number | undefined;
  } | undefined;
  /** Where each published set is sent, after its publication: files first, manifest.json after them, latest.json last. A failed delivery changes nothing about the night; `tieout deliver RUN` repeats it. Secrets are in files that secretFile, passwordFile and keyFile name. */
  readonly deliver?: readonly ({
    /** Allowed: a name. */
    readonly name: string | number;
    readonly type: 'folder';
    /** Allowed: a path. */
    readonly path: string | number;
  } | {
    /** Allowed: a name. */
    readonly name: string | number;
    readonly type: 's3';
    /** Allowed: an http or https address with the bucket, such as https://s3.example/bucket/prefix. */
    readonly url: string | number;
    /** Allowed: a region. */
    readonly region?: string | number | undefined;
    /** Allowed: the id of an access key. */
    readonly accessKeyId: string | number;
    /** Allowed: a path. */
    readonly secretFile: string | number;
  } | {
    /** Allowed: a name. */
    readonly name: string | number;
    readonly type: 'sftp';
    /** Allowed: sftp://user@host:22/folder. */
    readonly url: string | number;
    /** Allowed: a path, or none. */
    readonly keyFile?: string | number | null | undefined;
    /** Allowed: a path, or none. */
    readonly passwordFile?: string | number | null | undefined;
    /** Allowed: SHA256:… as `ssh-keyscan HOST | ssh-keygen -lf -` prints it. */
    readonly hostKey: string | number;
  } | {
    /** Allowed: a name. */
    readonly name: string | number;
    readonly type: 'email';
    /** Allowed: smtp://user@host:587 (STARTTLS) or smtps://user@host:465. */
    readonly url: string | number;
    /** Allowed: a mail address, such as finance@example.com. */
    readonly from: string | number;
    readonly to: readonly (string | number)[];
    /** Allowed: a path, or none. */
    readonly passwordFile?: string | number | null | undefined;
    readonly attach?: readonly (string | number)[] | undefined;
    /** Allowed: an http or https address, or none. */
    readonly link?: string | number | null | undefined;
  })[] | undefined;
  /** Modules with rules, reports, sources and formats of your own, each a path (relative to this file) or a package. Their names and hashes are in manifests. */
  readonly plugins?: readonly (string | number)[] | undefined;
  /** How long data are kept, or none for ever. Breaks and the totals of runs are always kept. */
  readonly retention?: {
    /** Bodies of records, and figures of bodies that nothing refers to once their runs are archived. */
    readonly snapshots?: string | null | 'none' | 'off' | undefined;
    /** Webhooks and SDK events. */
    readonly events?: string | null | 'none' | 'off' | undefined;
  } | undefined;
  /** 32 bytes in base64 (openssl rand -base64 32) that seal view tokens at rest. Without it a key file is made beside an SQLite database. */
  readonly secretKey?: string | undefined;
  /** The least severe lines of the log, which goes to standard error. Allowed: trace, debug, info, warn, error, fatal, silent. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | undefined;
}
