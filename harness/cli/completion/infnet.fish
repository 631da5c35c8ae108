# Completion of infnet's command lines for fish. Put into ~/.config/fish/completions/infnet.fish:
#   infnet completion fish >~/.config/fish/completions/infnet.fish
function __infnet_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$cur" 2>/dev/null)
    for line in $lines[2..-1]
        echo $line
    end
    switch "$lines[1]"
        case toml
            __fish_complete_suffix .toml
        case files
            __fish_complete_path "$cur"
        case folders
            __fish_complete_directories "$cur"
    end
end
complete -c infnet -f -a '(__infnet_complete)'
