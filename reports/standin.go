package reports

import (
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// head puts what a reader must know first in front of every caption: that the
// models are not the study's own.
func head(s *result.Results, all []table.Table) {
	who := standIns(s)
	if who == nil {
		return
	}
	for i := range all {
		all[i].Caption = append(table.Text{table.Plain("STAND-IN MODELS.").Bold(), table.Plain(" ")}, all[i].Caption...)
		all[i].Remarks = append([]table.Text{who}, all[i].Remarks...)
	}
}

// standIns says which models stood in for which; nil where none did.
func standIns(s *result.Results) table.Text {
	models := s.StandInModels()
	if len(models) == 0 {
		return nil
	}
	who := table.Text{table.Plain("Stand-in models: ")}
	var said []string
	for _, x := range models {
		var for_ []string
		for _, y := range models {
			if y.Model == x.Model && !slices.Contains(for_, y.For) {
				for_ = append(for_, y.For)
			}
		}
		if slices.Contains(said, x.Model) {
			continue
		}
		if len(said) > 0 {
			who = append(who, table.Plain("; "))
		}
		said = append(said, x.Model)
		who = append(who, table.Name(x.Model), table.Plain(" stood in for "+strings.Join(for_, " and ")))
	}
	return append(who, table.Plain(". The numbers say nothing of the models that the study is about."))
}
