/// The pages' style. Colours are named once, for light and dark; text has a contrast of 4.5 : 1 at least.
enum ReportStyle {
    static let text = colours + layout + parts + drawings

    private static let colours = """
        :root{--page:#faf9f6;--card:#fff;--ink:#1d1e20;--soft:#5a5d61;--line:#dcd9d0;--band:#dcdad2;--code:#efeee9;
        --green:#5e9b83;--amber:#c77800;--red:#b3261e;--blue:#1f5f8f;--bad:#a8201a;--good:#1f6b4f;
        --pale-amber:#fdf0d5;--dark-amber:#7a4a00;--shade:#f0efea}
        @media(prefers-color-scheme:dark){:root{--page:#15171a;--card:#1d2024;--ink:#ebe9e4;--soft:#a9adb3;--line:#363b42;
        --band:#3a4048;--code:#2a2e34;--green:#63a98f;--amber:#dc9426;--red:#e5655b;--blue:#7fb6e4;--bad:#ff8f86;--good:#7fcfae;
        --pale-amber:#3f3014;--dark-amber:#f3c473;--shade:#25292e}}

        """

    private static let layout = """
        *{box-sizing:border-box}
        html{color-scheme:light dark;scroll-padding-top:12px}
        body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
        main{max-width:1232px;margin:0 auto;padding:24px 24px 80px}
        h1{font-size:clamp(28px,4.4vw,46px);line-height:1.12;margin:6px 0 10px;letter-spacing:-.01em;text-wrap:balance}
        h2{font-size:20px;margin:56px 0 14px}h3{font-size:19px;line-height:1.3;margin:4px 0}
        p{margin:0 0 8px}a{color:var(--blue);text-underline-offset:2px}
        a:focus-visible,summary:focus-visible,select:focus-visible,input:focus-visible,.chip input:focus-visible+span{
        outline:3px solid var(--blue);outline-offset:2px;border-radius:3px}
        code,pre{font:12.5px/1.45 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
        pre{background:var(--code);padding:12px 16px;border-radius:6px;overflow:auto;max-height:480px}
        bdi,code,h3,td,dd,figcaption{overflow-wrap:anywhere}
        data{white-space:nowrap;font-variant-numeric:tabular-nums}
        .muted,.top,.legend,figcaption{color:var(--soft)}.top{font-size:14px;margin:0}.top b{color:var(--ink)}
        .verdict{font-size:18px;max-width:62em;margin-bottom:20px}
        .verdict .count{color:inherit;text-decoration-color:var(--line)}
        .count b{display:inline-block;min-width:27px;padding:0 7px;border-radius:14px;text-align:center;background:var(--shade);border:1px solid var(--line)}
        .count.look b{background:var(--pale-amber);border-color:var(--amber);color:var(--dark-amber)}
        .count.failed b{background:#b3261e;border-color:#b3261e;color:#fff}
        .legend{font-size:13px;margin:6px 0 0}.aside{margin-left:14px}
        .key{display:inline-block;width:9px;height:13px;border-radius:2px;vertical-align:-2px;margin:0 3px 0 12px;background:var(--band)}
        .key:first-child{margin-left:0}.key.ready{height:8px;vertical-align:0;background:var(--green)}
        .key.look{background:var(--amber)}.key.failed{background:var(--red)}
        .why-look{margin:6px 0;padding-left:18px}.notes{margin:14px 0 0;padding-left:20px;color:var(--soft)}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;min-width:560px}
        th,td{padding:8px 10px;border-bottom:1px solid var(--line);text-align:left;vertical-align:middle}
        th:first-child,td:first-child{padding-left:0}thead th{font-weight:400;font-size:13px;color:var(--soft)}
        .n{text-align:right;white-space:nowrap}.draw{width:24%;min-width:110px}.why{color:var(--soft);font-size:13.5px;max-width:340px}
        .odd{color:var(--dark-amber);font-weight:700}.around{font-weight:400;color:var(--soft)}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:8px 0}dt{color:var(--soft)}dd{margin:0;min-width:0}
        dd ul{margin:0;padding-left:18px}.inline{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:0 18px}summary{cursor:pointer;color:var(--blue);margin:8px 0}
        .more{margin-top:14px}
        #devices th:first-child{min-width:160px}#devices thead th{white-space:normal}#devices .draw{width:18%}
        .skip{position:absolute;left:-9999px}.skip:focus{left:12px;top:6px;z-index:1;background:var(--card);padding:4px 10px}
        @media screen and (max-width:640px){main{padding:16px 14px 60px}h2{margin-top:40px}.verdict{font-size:16.5px}
        dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}.why{display:none}
        #stages th:nth-child(5){display:none}table{min-width:0;font-size:14px}th,td{padding:8px 5px}.draw{min-width:60px}
        #devices th:first-child{min-width:100px}#devices .draw,.time text{display:none}}

        """

    private static let parts = """
        .pill{display:inline-block;font-size:12px;font-weight:600;line-height:1.5;padding:0 8px;border-radius:10px;border:1px solid var(--line);background:var(--shade)}
        .pill.failed{background:#b3261e;border-color:#b3261e;color:#fff}
        .pill.look{background:var(--pale-amber);border-color:var(--amber);color:var(--dark-amber)}
        .pill.ready{color:var(--good);border-color:var(--green)}
        .finding,.card,.trend{background:var(--card);border:1px solid var(--line);border-radius:8px}
        .finding,.card{border-left:5px solid var(--green);margin-bottom:14px}
        .look.finding,.look.card{border-left-color:var(--amber)}.failed.finding,.failed.card{border-left-color:var(--red)}
        .waiting.card{border-left-color:var(--band)}
        .finding{display:grid;grid-template-columns:250px minmax(0,1fr) auto;gap:4px 22px;padding:14px 18px 14px 14px}
        .finding>.shot{grid-row:1/3}.finding>.words{grid-column:2}.finding>.headline{grid-column:3;text-align:right;max-width:170px}
        .headline span{display:block;font-size:13px;line-height:1.3}.headline b{font-size:27px;line-height:1.2}
        .proof{grid-column:2/4;display:flex;flex-wrap:wrap;gap:10px 26px;align-items:end;margin-top:8px}
        .proof:empty{display:none}.proof figure{flex:0 1 190px}.proof figure.wide{flex:1 1 300px}
        .name{margin:0}.fix{margin:0}.next{display:flex;gap:10px;margin:6px 0}.next div{display:grid;gap:5px;min-width:0}
        .command{display:inline-block;background:var(--code);border-radius:5px;padding:3px 9px;overflow-wrap:anywhere;user-select:all;-webkit-user-select:all}
        .shot.none{background:var(--shade);border-radius:6px;min-height:120px}
        .shot.none,.nopictures{display:grid;place-items:center;text-align:center;color:var(--soft);font-size:13px;padding:10px}
        .nopictures{background:var(--shade);border-radius:6px;min-height:60px}
        .small{display:grid;grid-template-columns:1fr 1fr;gap:8px;margin-top:6px}
        figure{margin:0;min-width:0}figcaption{font-size:12.5px;line-height:1.35;margin-top:4px}
        .th div{aspect-ratio:4/3;border-radius:4px;background-color:var(--shade);background-repeat:no-repeat;
        print-color-adjust:exact;-webkit-print-color-adjust:exact}
        .row{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:8px;margin:8px 0 12px}
        .card{padding:12px 18px 6px 14px;content-visibility:auto;contain-intrinsic-size:auto 520px}
        .card:target,.finding:target{outline:3px solid var(--blue);outline-offset:2px}
        .plots{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:18px 26px;align-items:end}
        .drawn{grid-row:span 3;grid-column:span 2;align-self:start}.drawn img,.shot img{display:block;width:100%;border-radius:4px}
        .lack{color:var(--soft);font-size:13px;margin:12px 0}
        .trends{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:14px}.trend{padding:12px 16px}
        .trend p{margin:0;font-size:14px}.trend .value{font-size:30px;font-weight:700;line-height:1.2}
        .bad{color:var(--bad)}.good{color:var(--good)}
        .chips{display:flex;flex-wrap:wrap;gap:8px}.chip input{position:absolute;opacity:0;width:1px;height:1px}
        .chip span{display:inline-block;border:1px solid var(--line);border-radius:18px;padding:4px 14px;background:var(--card);cursor:pointer}
        .chip :checked+span{background:var(--ink);color:var(--page);border-color:var(--ink)}
        .tools{margin:12px 0;display:flex;flex-wrap:wrap;gap:8px 18px;align-items:center}.tools[hidden]{display:none}
        select,input[type=search]{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:5px;padding:3px 6px}
        .wall,.g{display:grid;grid-template-columns:repeat(auto-fill,minmax(136px,1fr));gap:12px}.wall{margin-top:14px}
        .g{grid-column:1/-1;list-style:none;margin:0;padding:0}.far{content-visibility:auto;contain-intrinsic-size:auto 5300px}
        .wall.flat .g,.chips:not(:has(#show-all:checked))~.wall .g{display:contents}.t[hidden]{display:none}
        .t a{display:block;color:inherit;text-decoration:none}.t a:hover b{text-decoration:underline}
        .t .p{display:grid;place-items:center;text-align:center;aspect-ratio:4/3;border-radius:4px;background-color:var(--shade);
        border-bottom:4px solid var(--green);font-size:12px;color:var(--soft);padding:4px}
        .t .p:not(.none){padding:0}
        .t.look .p{border-color:var(--amber)}.t.failed .p{border-color:var(--red)}.t.waiting .p{border-color:var(--band)}
        .t b{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;font-weight:500;font-size:12.5px;line-height:1.3;overflow:hidden;margin-top:4px}
        .t small{display:flex;gap:6px;align-items:center;font-size:12.5px;color:var(--soft)}
        .chips:has(#show-ready:checked)~.wall .t:not(.ready),.chips:has(#show-look:checked)~.wall .t:not(.look),
        .chips:has(#show-failed:checked)~.wall .t:not(.failed),.chips:has(#show-waiting:checked)~.wall .t:not(.waiting),
        .chips:has(#show-ran:checked)~.wall .t:not(.ran){display:none}
        @media screen and (max-width:900px){.finding{grid-template-columns:minmax(0,1fr)}.finding>*{grid-column:1!important;grid-row:auto!important}
        .finding>.headline{text-align:left;max-width:none;display:flex;gap:8px;align-items:baseline}.shot{max-width:480px;display:grid;grid-template-columns:2fr 1fr;gap:8px}.shot.none{display:grid;grid-template-columns:1fr;min-height:60px}.small{grid-template-columns:1fr;align-content:start;margin:0}
        .proof{gap:12px 14px}.proof figure{flex:1 1 138px}
        .plots{grid-template-columns:repeat(2,minmax(0,1fr))}.trends{grid-template-columns:repeat(2,minmax(0,1fr))}
        .row{grid-template-columns:repeat(3,minmax(0,1fr))}}
        @media screen and (max-width:560px){.plots{grid-template-columns:minmax(0,1fr)}.drawn{grid-column:auto}.wall,.g{grid-template-columns:repeat(auto-fill,minmax(104px,1fr));gap:8px}}
        @media print{body{background:#fff}.tools,.chips,.card>details{display:none!important}.card,.far{content-visibility:visible}
        .finding,.card,.trend{break-inside:avoid}.finding{grid-template-columns:170px minmax(0,1fr) auto}
        .finding details::details-content,.more::details-content{content-visibility:visible}}

        """

    private static let drawings = """
        svg{display:block;width:100%;height:auto;overflow:visible}
        svg text{fill:var(--soft);font-size:11px}
        svg .ready{fill:var(--green)}svg .look{fill:var(--amber)}svg .failed{fill:var(--red)}svg .waiting{fill:none;stroke:var(--soft)}
        svg .axis{stroke:var(--line);fill:none}svg .rest{fill:var(--shade)}svg .gap{fill:none;stroke:var(--red);stroke-dasharray:4 3}
        .strip a:hover rect,.strip a:hover path,.strip a:focus rect,.strip a:focus path{stroke:var(--ink);stroke-width:1.5}
        .path{max-width:230px}.path path{fill:none;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
        .path .v0{stroke:#2f6fb0}.path .v1{stroke:#3a9d8f}.path .v2{stroke:#d59a1c}.path .v3{stroke:#d23b2c}.path .v4{stroke:var(--soft)}
        .path .box{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 2}.path .front{stroke:var(--ink)}.path .start{fill:var(--ink)}
        .path .ruler{stroke:var(--soft);stroke-width:1}
        .cross{max-width:172px}.cross rect{stroke:none}.cross text{text-anchor:middle;fill:#17211c}.cross .n{font-size:14px;font-weight:600}.cross .f{font-size:9.5px}
        .c0 rect{fill:none;stroke:var(--red)!important;stroke-width:1.5;stroke-dasharray:4 3}.c0 text.n,.c0 text.f{fill:var(--bad)}
        .cn rect{fill:var(--shade)}.cn text.n,.cn text.f{fill:var(--soft)}.c1 rect{fill:#f3dc4b}.c2 rect{fill:#cfdf55}.c3 rect{fill:#a0dc72}.c4 rect{fill:#6fd397}.c5 rect{fill:#3cc6ab}
        .sphere{max-width:270px}.sphere text{font-size:9.5px}.sphere .d0{fill:none;stroke:var(--line);stroke-width:.7}.sphere .d1{fill:#cfdf55}.sphere .d2{fill:#7fd58c}.sphere .d3{fill:#2fb59c}
        .bars{height:84px}.bars .limit{stroke:var(--ink);stroke-dasharray:4 3;fill:none;vector-effect:non-scaling-stroke}.bars .axis{vector-effect:non-scaling-stroke}
        .share{height:14px}.share.tall{height:44px}.depth{height:28px}.confidence{height:10px;margin-top:6px}
        .depth .whisker{stroke:var(--blue);stroke-width:1.5}.depth .box{fill:var(--blue);opacity:.55}.depth .middle{stroke:var(--ink);stroke-width:2}
        .q0{fill:#d9822b}.q1{fill:#c9b458}.q2{fill:#4f9f86}
        .s0{fill:#c77800}.s1{fill:#4f7fae}.s2{fill:#8b6fb0}.s3{fill:#4f9f86}.s4{fill:#b8604d}.s5{fill:#8a8d4e}
        .spark{max-width:180px;margin-top:4px}.spark .band,.dot .band{fill:var(--band)}.spark .line{fill:none;stroke:var(--blue);stroke-width:1.6}.spark .now{fill:var(--blue)}
        .dot{max-width:340px}.dot .middle{stroke:var(--soft)}
        .time rect,.time path{shape-rendering:crispEdges}

        """
}
