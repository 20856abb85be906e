// The module of ui.wasm, which the build makes.
export default function createUi(options: Record<string, any>): Promise<any>;
