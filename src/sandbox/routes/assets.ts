/** The assets endpoints of all versions and both directions (spec §4). */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ASSETS, type CatalogueAsset, identifierOf } from '../assets-catalogue.ts';
import type { Body } from '../contract.ts';
import { GLOBAL_EUR, inCurrency, type MarketMinute } from '../market.ts';
import { countryOfAddress, type Direction, tradedCurrency } from '../payment-tables.ts';
import { assetInfoV1, assetInfoV2, assetInfoV3 } from '../quote-bodies.ts';
import { invalid, NO_SUCH_CURRENCY } from '../schemas/answers.ts';
import { about, cacheable, type Routes, reference, type Site, stringOf } from './site.ts';

/** `observed`: as objects and as strings, which both have been met (field facts "Reference data"). */
const ENABLED_FEATURES = {
  spec: ['ONRAMP', 'OFFRAMP', 'HOST_FEE_CUT'],
  observed: ['ONRAMP', 'OFFRAMP', { name: 'HOST_FEE_CUT', params: { percent: 25 } }],
};

/** The two words and nothing else. */
const flag = (name: string, description: string) =>
  z
    .enum(['true', 'false'], { error: `${name} must be a boolean value` })
    .optional()
    .meta({ default: 'false', description });

const KEY_AND_ADDRESS = {
  hostApiKey: z.string().optional().describe('With a known key, the answer has `enabledFeatures` (spec §5.2).'),
  userIp: z
    .string()
    .refine((value) => isIP(value) !== 0, 'userIp must be an ip address')
    .optional()
    .meta({
      anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }],
      description: 'Only assets that are available where this address is.',
    }),
};

const ASSETS_QUERY = z.object({
  currencyCode: z.string().default('EUR').describe('ISO 4217: the currency of limits and network fees.'),
  withDisabled: flag('withDisabled', 'Also assets with `enabled: false`.'),
  withHidden: flag('withHidden', 'Also assets with `hidden: true`.'),
  ...KEY_AND_ADDRESS,
});

const ASSETS_QUERY_V1 = z.object({
  onlyEnabled: flag('onlyEnabled', 'Only assets with `enabled: true`.'),
  omitHidden: flag('omitHidden', 'No assets with `hidden: true`.'),
  ...KEY_AND_ADDRESS,
});

interface Endpoint {
  path: string;
  version: 'v2' | 'v3';
  direction: Direction;
  schema: z.ZodType;
}

export const assetRoutes: Routes = (app, site) => {
  const { schemas } = site;

  /** An endpoint of v2 or v3, in the currency that is asked for. */
  const assetsIn = (
    { path, version, direction, schema }: Endpoint,
    [operationId, summary, description]: readonly [string, string, string],
    written: (asset: CatalogueAsset, code: string, moment: MarketMinute) => Body,
  ) =>
    app.get(
      `/host-api/${path}`,
      {
        // The currency is answered for before any other parameter.
        preValidation: async ({ query }: FastifyRequest) => {
          tradedCurrency(stringOf(query, 'currencyCode') ?? 'EUR', direction);
        },
        onSend: cacheable,
        ...about(version, operationId, summary, {
          description,
          querystring: ASSETS_QUERY,
          ...reference(schema, { 400: NO_SUCH_CURRENCY }),
        }),
      },
      ({ query }) => {
        const code = query.currencyCode;
        const moment = site.market.at(site.clock.now());
        const listed = ASSETS.filter(({ offramp }) => direction === 'onramp' || offramp);
        const assets = visible(query, listed, moment).map((asset) => written(asset, code, moment));
        return { ...features(query, site), ...globalTerms(code, direction, moment), assets };
      },
    );

  assetsIn(
    { path: 'v3/assets', version: 'v3', direction: 'onramp', schema: schemas.HostAssetsConfig },
    [
      'getAssetsV3',
      'Assets that can be bought, with limits and fees',
      'Spec §2.1, §2.2. `-1` as a limit means that the global one applies.',
    ],
    (asset, code, moment) => assetInfoV3(asset, 'onramp', code, moment, site.bodies),
  );
  assetsIn(
    { path: 'v2/assets', version: 'v2', direction: 'onramp', schema: schemas.HostAssetsConfigV2 },
    [
      'getAssetsV2',
      'Assets that can be bought, with limits and fees',
      'Spec §2.10: as v3, without `chain`, and with the blockchain as `type` of native assets.',
    ],
    assetInfoV2,
  );
  assetsIn(
    { path: 'v3/offramp/assets', version: 'v3', direction: 'offramp', schema: schemas.OfframpHostAssetsConfig },
    [
      'getOfframpAssetsV3',
      'Assets that can be sold, with limits',
      'Spec §2.3. There are no fee figures for the off-ramp.',
    ],
    (asset, code, moment) => assetInfoV3(asset, 'offramp', code, moment, site.bodies),
  );

  app.get(
    '/host-api/assets',
    {
      onSend: cacheable,
      ...about('v1', 'getAssetsV1', 'Assets that can be bought, every amount in EUR', {
        description: 'Spec §2.10. Disabled and hidden assets are included unless they are left out.',
        querystring: ASSETS_QUERY_V1,
        ...reference(schemas.HostAssetsConfigV1, { 400: invalid('onlyEnabled must be a boolean value') }),
      }),
    },
    ({ query }) => {
      const moment = site.market.at(site.clock.now());
      const assets = ASSETS.filter(
        ({ enabled, hidden }) => (enabled || query.onlyEnabled !== 'true') && !(hidden && query.omitHidden === 'true'),
      )
        .filter(availableTo(query.userIp))
        .map((asset) => assetInfoV1(asset, moment, site.bodies));
      return { ...features(query, site), ...globalTermsV1(), assets };
    },
  );
};

/** v2 and v3 leave disabled and hidden assets out unless asked for them; v1 is the other way round. */
function visible(
  query: z.infer<typeof ASSETS_QUERY>,
  assets: readonly CatalogueAsset[],
  moment: MarketMinute,
): readonly CatalogueAsset[] {
  const isListed = (asset: CatalogueAsset) =>
    ((asset.enabled && moment.isOpen(asset)) || query.withDisabled === 'true') &&
    (!asset.hidden || query.withHidden === 'true');
  return assets.filter(isListed).filter(availableTo(query.userIp));
}

function availableTo(ip: string | undefined): (asset: CatalogueAsset) => boolean {
  const allowed = ip === undefined ? undefined : countryOfAddress(ip)?.supportedAssets;
  return (asset) => allowed === undefined || allowed.includes(identifierOf(asset));
}

/** Only for a key that is known (spec §5.2); an unknown one changes nothing. */
function features({ hostApiKey: key }: { hostApiKey?: string | undefined }, { hostApiKeys, bodies }: Site): Body {
  return key !== undefined && hostApiKeys.has(key) ? { enabledFeatures: ENABLED_FEATURES[bodies] } : {};
}

function globalTerms(code: string, direction: Direction, moment: MarketMinute) {
  const { minPurchaseAmount, maxPurchaseAmount, minFeeAmount, minFeePercent, maxFeePercent } = GLOBAL_EUR;
  const limits = {
    currencyCode: code,
    minPurchaseAmount: inCurrency(minPurchaseAmount, code, moment),
    maxPurchaseAmount: inCurrency(maxPurchaseAmount, code, moment),
  };
  if (direction === 'offramp') return limits;
  return { ...limits, minFeeAmount: inCurrency(minFeeAmount, code, moment), minFeePercent, maxFeePercent };
}

function globalTermsV1() {
  const { minPurchaseAmount, maxPurchaseAmount, minFeeAmount, minFeePercent, maxFeePercent } = GLOBAL_EUR;
  return {
    minPurchaseAmountEur: minPurchaseAmount,
    maxPurchaseAmountEur: maxPurchaseAmount,
    minFeeAmountEur: minFeeAmount,
    minFeePercent,
    maxFeePercent,
  };
}
