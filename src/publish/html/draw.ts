/** Drawing on the server, by echarts. The library is loaded when a page is made, and not before. */
import { packageOrRemedy } from '../../domain/optional-package.ts';

/** An option of echarts: one chart. */
export type Option = Readonly<Record<string, unknown>>;

/** Draws an option at a size, in pixels. */
export type Draw = (option: Option, size: { width: number; height: number }) => string;

/** The parts of the library that the charts need. @throws UsageError where it is not installed */
export const loadDraw = (load: () => Promise<Draw> = loadEcharts): Promise<Draw> =>
  packageOrRemedy(load, 'report.html', 'echarts@6');

async function loadEcharts(): Promise<Draw> {
  const [core, { BarChart, CustomChart, LineChart }, { GridComponent, LegendComponent }, { SVGRenderer }] =
    await Promise.all([
      import('echarts/core'),
      import('echarts/charts'),
      import('echarts/components'),
      import('echarts/renderers'),
    ]);
  core.use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent, SVGRenderer]);
  return (option, { width, height }) => {
    const chart = core.init(null, null, { renderer: 'svg', ssr: true, width, height });
    try {
      chart.setOption(option);
      // Removes the attributes for scripts that follow the mouse: a page has no script. They are also numbered per
      // process, and equal sets must give equal pages.
      return withoutStyles(chart.renderToSVGString())
        .replace(/ (?:class|pointer-events|ecmeta_\w+)="[^"]*"/g, '')
        .replace(/\n+/g, '\n');
    } finally {
      chart.dispose();
    }
  };
}

function withoutStyles(svg: string): string {
  const [first = '', ...parts] = svg.split('<style');
  return first + parts.map((part) => part.slice(part.indexOf('</style>') + '</style>'.length)).join('');
}
