/** `GET /host-api/v2/assets`: as v3, but assets have no `chain` and `type` is the blockchain of native ones (spec §2.10). */
import { assetInfoFields, onrampAssetsFields } from './assets-v3.ts';
import { listOf, resource } from './scalars.ts';

const { chain: _none, ...assetFields } = assetInfoFields;

export const assetInfoV2 = resource(assetFields);

export const assetsV2 = resource({ ...onrampAssetsFields, assets: listOf(assetInfoV2) });
