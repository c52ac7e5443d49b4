/** Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. */
import type { FastifyInstance } from 'fastify';
import * as oidc from 'openid-client';
import { firstBytes } from '../../text/first-bytes.ts';
import type { OidcSettings, PagesEdges } from '../contract.ts';
import { note, openSession, rolesFrom } from '../people.ts';
import { localPath, queryOf, RefusedError } from '../request.ts';

const RETURN = '/sign-in/oidc/return';
/** An answer of a provider takes some thousand bytes. */
const MOST_BYTES = 1024 * 1024;
/** As long as a subject may be (OpenID Connect Core, 2). */
const LONGEST_SUBJECT = 255;

export function oidcRoutes(app: FastifyInstance, edges: PagesEdges, settings: OidcSettings): void {
  const open = { config: { permission: 'public' as const } };
  const provider = discovered(settings);
  const returnTo = (host: string) => new URL(RETURN, edges.settings.url ?? `http://${host}`);

  app.get('/sign-in/oidc', open, async (request, reply) => {
    const config = await provider.configuration();
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    request.session.set('oidc', { state, nonce, verifier, next: localPath(queryOf(request).get('next')) });
    const to = oidc.buildAuthorizationUrl(config, {
      redirect_uri: returnTo(request.host).href,
      scope: settings.scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return reply.redirect(to.href, 303);
  });

  app.get(RETURN, open, async (request, reply) => {
    const begun = request.session.get('oidc');
    // Each begun sign-in accepts one callback: state, nonce and verifier are deleted before it is answered.
    request.session.set('oidc', undefined);
    if (begun === undefined) throw new RefusedError('This sign-in was not begun here. Begin it again.');
    const current = returnTo(request.host);
    current.search = queryOf(request).toString();
    const claims = await claimsOf(await provider.configuration(), current, begun).catch((error: unknown) => {
      // What it said of itself may be what was wrong.
      provider.forget();
      throw error;
    });
    const subject = subjectOf(claims);
    const name = textOf(claims[settings.nameClaim]) ?? textOf(subject);
    const account = `oidc:${textOf(claims.iss) ?? settings.issuer}:${subject}`;
    const given = claims[settings.rolesClaim];
    const values = (Array.isArray(given) ? given : [given]).filter((value) => typeof value === 'string');
    const roles = rolesFrom(values, edges.settings.roles);
    if (name === null || roles.length === 0) {
      const actor = { name: name ?? 'unknown', account, proof: 'proved' } as const;
      await note(edges, actor, { action: 'sign-in', subject: account, outcome: 'refused', detail: 'no role' });
      throw new RefusedError('You are known, but no role is given to you here. Ask an administrator.');
    }
    await openSession(request, edges, { name, account, roles });
    return reply.redirect(begun.next, 303);
  });
}

/** Exactly as it is: two people whose subjects differ by a blank, or beyond a length, are two. @throws RefusedError */
function subjectOf({ sub }: Readonly<Record<string, unknown>>): string {
  if (typeof sub === 'string' && sub !== '' && sub === sub.trim() && sub.length <= LONGEST_SUBJECT) return sub;
  throw new RefusedError(
    'The provider names you by nothing that can be kept: its subject is empty, too long or has blanks.',
  );
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 256 ? value.trim() : null;
}

/** A provider that sends without an end, or nothing, would take the memory of the process that receives the webhooks. */
const boundedFetch: oidc.CustomFetch = async (url, options) => {
  const answer = await fetch(url, options as RequestInit);
  const bytes = await firstBytes(answer.body ?? [], MOST_BYTES);
  if (bytes.length > MOST_BYTES) throw new RangeError(`the provider sent more than ${MOST_BYTES} bytes`);
  const { status, headers } = answer;
  return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), { status, headers });
};

/**
 * The issuer's configuration is requested once, and again after a failure. Plain HTTP is for an issuer on this machine.
 */
function discovered({ issuer, clientId, clientSecret }: OidcSettings) {
  const server = new URL(issuer);
  const isNear = ['localhost', '127.0.0.1', '[::1]'].includes(server.hostname);
  let asked: Promise<oidc.Configuration> | null = null;
  /** It is requested again at the next sign-in. */
  const forget = () => {
    asked = null;
  };
  const configuration = async () => {
    asked ??= oidc.discovery(
      server,
      clientId,
      undefined,
      clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
      {
        [oidc.customFetch]: boundedFetch,
        // TLS alone would say that the token is the provider's: a proxy that opens it, or a token without a signature, would be believed.
        execute: [oidc.enableNonRepudiationChecks, ...(isNear ? [oidc.allowInsecureRequests] : [])],
      },
    );
    try {
      return await asked;
    } catch (error) {
      forget();
      throw unconfirmed(error);
    }
  };
  return { configuration, forget };
}

/** A failure of the provider is reported as a refused sign-in, and not as an error of this server. */
const unconfirmed = (cause: unknown) =>
  new RefusedError('The provider did not confirm this sign-in. Begin it again.', { cause });

/** The claims of the ID token, and of the user-info endpoint where there is one. @throws RefusedError */
async function claimsOf(
  config: oidc.Configuration,
  current: URL,
  { state, nonce, verifier }: { state: string; nonce: string; verifier: string },
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const tokens = await oidc.authorizationCodeGrant(config, current, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new RefusedError('The provider sent no ID token.');
    // Of a time that has not come; the library compares only the end with its clock.
    if (claims.iat > claims.exp) throw new RefusedError('The provider’s ID token ends before it was issued.');
    if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
    const more = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
    return { ...more, ...claims };
  } catch (error) {
    throw error instanceof RefusedError ? error : unconfirmed(error);
  }
}
