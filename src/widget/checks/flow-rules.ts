/** Flows against each other, and parameters against flows and forms of integration (spec §2.11). */
import { given, isLeftOut, listItems } from '../config.ts';
import { isFlow } from '../flows.ts';
import { PARAMETERS } from '../parameters.ts';
import { widgetProblem } from '../problems.ts';
import { checkOf, textOf, type WidgetCheckRule } from './input.ts';

/** The specification does not say that the default counts as enabled, so it must be listed. */
export const defaultFlow = checkOf('defaultFlow', (named, { config }) => {
  const listed = listItems(given(config, 'enabledFlows')).filter((item) => item !== '');
  if (!isFlow(named) || listed.includes(named)) return null;
  if (listed.length > 0) {
    return widgetProblem('FLOW_NOT_ENABLED', 'defaultFlow', named, {
      message: `the default flow ${named} is not among the enabled flows ${listed.join(', ')}`,
      remedy: `Add ${named} to enabledFlows, or make ${listed[0]} the default.`,
    });
  }
  if (named === 'ONRAMP') return null;
  return widgetProblem('FLOW_NOT_ENABLED_BY_DEFAULT', 'defaultFlow', named, {
    message: `enabledFlows is not set, and its default enables ONRAMP alone; what then becomes of ${named} is not promised`,
    remedy: `Set enabledFlows to ${named}, or to ONRAMP,${named}.`,
  });
});

/** `finalUrl` has its own rule, because without it the user would stay on the page. */
export const outsideFlow: WidgetCheckRule = (input) =>
  PARAMETERS.flatMap(({ name, flows }) => {
    const text = textOf(input, name);
    if (flows === null || text === null || text === 'false' || name === 'finalUrl') return [];
    if (flows.some((flow) => input.flows.enabled.includes(flow))) return [];
    return widgetProblem('PARAMETER_OUTSIDE_FLOW', name, text, {
      message: `${name} is for ${flows.join(' and ')}; enabled is ${input.flows.enabled.join(', ')}`,
      remedy: `Remove it, or add ${flows[0]} to enabledFlows.`,
    });
  });

/** An error where no user is ever redirected, a warning where some are. */
export const finalUrl = checkOf('finalUrl', (text, { flows, integration }) => {
  const tell = (code: 'FINAL_URL_IGNORED' | 'FINAL_URL_PARTIAL', message: string, remedy: string) =>
    widgetProblem(code, 'finalUrl', text, { message, remedy });
  const returns = 'Use successUrl and failureUrl, which ONRAMP and OFFRAMP have.';
  if (!flows.enabled.includes('ONRAMP'))
    return tell('FINAL_URL_IGNORED', 'finalUrl is for ONRAMP, which is not enabled', returns);
  if (integration === 'embedded') {
    return tell(
      'FINAL_URL_IGNORED',
      'finalUrl is for hosted integration only; an embedded widget redirects no user',
      'Open the hosted URL, or listen to the event WIDGET_CLOSE.',
    );
  }
  if (flows.enabled.length > 1) {
    return tell(
      'FINAL_URL_PARTIAL',
      'finalUrl is for ONRAMP only; users of the other flows stay in the widget',
      returns,
    );
  }
  if (integration === 'hosted') return null;
  return tell(
    'FINAL_URL_PARTIAL',
    'finalUrl works only where the widget is opened as a hosted page, which this configuration does not say',
    'Set variant to hosted or hosted-mobile, or open the hosted URL.',
  );
});

/** A DOM node cannot travel in a URL, so an embedded variant there lacks it even where one is named. */
export const containerNode: WidgetCheckRule = (input) => {
  const { config, integration } = input;
  const variant = textOf(input, 'variant');
  const node = given(config, 'containerNode');
  const embedded = variant === 'embedded-mobile' || variant === 'embedded-desktop';
  if (embedded && (isLeftOut(node) || integration === 'hosted')) {
    const hosted = integration === 'hosted' ? ', which a hosted URL cannot carry' : '';
    return widgetProblem('CONTAINER_NODE_MISSING', 'containerNode', null, {
      message: `the variant ${variant} needs a containerNode${hosted}`,
      remedy: hosted === '' ? 'Give the DOM node that shall hold the widget.' : 'Use the variant hosted, or the SDK.',
    });
  }
  if (isLeftOut(node)) return null;
  if (!embedded) {
    return widgetProblem('CONTAINER_NODE_UNUSED', 'containerNode', node, {
      message: 'only the embedded variants have a containerNode',
      remedy: 'Remove it, or set variant to embedded-desktop or embedded-mobile.',
    });
  }
  if (typeof node === 'object') return null;
  return widgetProblem('CONTAINER_NODE_NOT_A_NODE', 'containerNode', node, {
    message: 'containerNode must be a DOM node; a text is not a node',
    remedy: 'Pass document.getElementById(…) where the widget is made.',
  });
};

/** A record whose id and token were not stored at creation can never be fetched, so a missing webhook is reported. */
export const webhooks: WidgetCheckRule = (input) => {
  const { enabled } = input.flows;
  const purchases = textOf(input, 'webhookStatusUrl') !== null;
  const sales = textOf(input, 'offrampWebhookV3Url') !== null;
  if (purchases === sales || !enabled.includes('ONRAMP') || !enabled.includes('OFFRAMP')) return null;
  const [absent, what] = purchases
    ? (['offrampWebhookV3Url', 'sale'] as const)
    : (['webhookStatusUrl', 'purchase'] as const);
  return widgetProblem('WEBHOOK_UNCOVERED', absent, null, {
    message: `both flows are enabled, and no ${what} event is sent anywhere; its id and token would be lost`,
    remedy: `Set ${absent}.`,
  });
};
