/** `GET /host-api/v2/assets`: as v3, but assets have no `chain` and `type` is the blockchain of native ones (spec §2.10). */
import type { z } from 'zod';
import { assetInfoV3, onrampAssetsV3 } from './assets-v3.ts';
import { listOf } from './scalars.ts';

export const assetInfoV2 = assetInfoV3.omit({ chain: true });

export const assetsV2 = onrampAssetsV3.extend({ assets: listOf(assetInfoV2) });

export type WireAssetsV2 = z.infer<typeof assetsV2>;
