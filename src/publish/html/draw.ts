/** Drawing on the server, by echarts. The library is loaded when a page is made, and not before. */
import { UsageError } from '../../domain/errors.ts';

/** Thrown where a page is to be made and the chart library, which is optional, is not installed. Exit code 2. */
export class ChartLibraryMissingError extends UsageError {
  constructor(cause: unknown) {
    super('report.html needs the package echarts for its charts, and it is not installed', {
      remedy: 'install it (npm install echarts), or take html out of reports.formats or --format',
      cause,
    });
  }
}

/** An option of echarts: one chart. */
export type Option = Readonly<Record<string, unknown>>;

/** Draws an option at a size, in pixels. */
export type Draw = (option: Option, size: { width: number; height: number }) => string;

/** The parts of the library that the charts need. @throws ChartLibraryMissingError */
export async function loadDraw(load: () => Promise<Draw> = loadEcharts): Promise<Draw> {
  try {
    return await load();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') throw new ChartLibraryMissingError(error);
    throw error;
  }
}

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
      return plain(chart.renderToSVGString());
    } finally {
      chart.dispose();
    }
  };
}

/**
 * Removes the attributes for scripts that follow the mouse: a page has no script. They are also numbered per process, and
 * equal sets must give equal pages.
 */
function plain(svg: string): string {
  return withoutStyles(svg)
    .replace(/ (?:class|pointer-events|ecmeta_\w+)="[^"]*"/g, '')
    .replace(/\n+/g, '\n');
}

function withoutStyles(svg: string): string {
  const [first = '', ...parts] = svg.split('<style');
  return first + parts.map((part) => part.slice(part.indexOf('</style>') + '</style>'.length)).join('');
}
