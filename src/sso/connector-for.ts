import type {
  BackchannelConnector,
  Connector,
  LogoutConnector,
  RefreshingConnector,
} from '#src/sso/connector.ts';
import { createOAuth2Connector } from '#src/sso/connectors/oauth2.ts';
import { createOidcConnector } from '#src/sso/connectors/oidc.ts';
import { createSamlConnector } from '#src/sso/connectors/saml.ts';
import { createSamlLogoutConnector } from '#src/sso/connectors/saml-logout.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** The one place that knows all protocols. */
export function connectorFor(provider: Provider, access: ProviderAccess): Connector {
  if (provider.strategy === 'openid_connect') return createOidcConnector(provider, access);
  if (provider.strategy === 'oauth2') return createOAuth2Connector(provider, access);
  return createSamlConnector(provider, access);
}

/** How sessions end at both sides; undefined where the protocol, as it is used here, has no way. */
export function logoutConnectorFor(provider: Provider, access: ProviderAccess): LogoutConnector | undefined {
  if (provider.strategy === 'saml') return createSamlLogoutConnector(provider, access);
  return provider.strategy === 'openid_connect' ? createOidcConnector(provider, access) : undefined;
}

/** Who tells us directly that somebody left; undefined where the protocol goes through the browser, or knows no such thing. */
export function backchannelConnectorFor(
  provider: Provider,
  access: ProviderAccess,
): BackchannelConnector | undefined {
  return provider.strategy === 'openid_connect' ? createOidcConnector(provider, access) : undefined;
}

/** Who can be asked about somebody who is away; undefined where the protocol knows no refresh token. */
export function refreshingConnectorFor(
  provider: Provider,
  access: ProviderAccess,
): RefreshingConnector | undefined {
  return provider.strategy === 'openid_connect' ? createOidcConnector(provider, access) : undefined;
}
